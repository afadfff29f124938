"""
Topics beside other columns of a table
======================================

Tables often combine a text column with columns of numbers and categories.
``ColumnTransformer`` turns the text into topic proportions and joins them with the
other columns, in a pipeline that scikit-learn can search and cross-validate.
"""

# %%
# The table has one row per docstring of NumPy, SciPy and scikit-learn, with its text,
# its length, and the kind of object that it documents (class names begin with a capital
# letter). The target is its library.
import matplotlib.pyplot as plt
import pandas as pd
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklda import CollapsedGibbsLDA
from sklda.datasets import load_docstrings

corpus = load_docstrings()
last = [name.rpartition(".")[2] for name in corpus.names]
table = pd.DataFrame(
    {
        "text": corpus.data,
        "length": [len(text) for text in corpus.data],
        "kind": ["class" if name[0].isupper() else "other" for name in last],
    }
)
library = [name.split(".")[0] for name in corpus.names]
print(table.drop(columns="text").head(3).to_string())

# %%
# Pass the name of the text column as a string, not as a list, because a vectorizer
# takes a single column. Each fold counts the words of its own training documents.
counter = CountVectorizer(stop_words="english", min_df=5, max_df=0.2)
topics = make_pipeline(counter, CollapsedGibbsLDA(max_iter=60, random_state=0))
others = [
    ("length", StandardScaler(), ["length"]),
    ("kind", OneHotEncoder(drop="if_binary", sparse_output=False), ["kind"]),
]
features = {
    "other columns": ColumnTransformer(others),
    "topics": ColumnTransformer([("text", topics, "text")]),
    "topics and other columns": ColumnTransformer([("text", topics, "text"), *others]),
}
for name, columns in features.items():
    model = make_pipeline(columns, LogisticRegression())
    print(f"{cross_val_score(model, table, library, cv=5).mean():.3f}  {name}")

# %%
# The number of topics is a parameter of the whole pipeline.
search = GridSearchCV(
    make_pipeline(features["topics and other columns"], LogisticRegression()),
    {"columntransformer__text__collapsedgibbslda__n_components": [5, 10, 20, 40]},
    cv=5,
).fit(table, library)
print(f"{search.best_score_:.3f} with {search.best_params_}")

# %%
# To get the features as a data frame, set the output of all estimators at once.
# ``set_output`` on the pipeline fails, because a vectorizer does not support it. The
# rows must be numbered from 0, because the vectorizer drops the index.
with sklearn.config_context(transform_output="pandas"):
    frame = features["topics and other columns"].fit_transform(table)
print(frame.iloc[:3, -4:].round(2).to_string())

# %%
# Plot the accuracy for each number of topics. Bars show standard errors over the folds.
results = search.cv_results_
numbers = results["param_columntransformer__text__collapsedgibbslda__n_components"]
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
errors = results["std_test_score"] / 5**0.5
ax.errorbar(numbers.astype(int), results["mean_test_score"], errors, marker="o")
ax.set(
    xlabel="topics",
    ylabel="accuracy",
    title="Library of a docstring, from topics and other columns",
)
ax.set_xticks(numbers.astype(int))
plt.show()
