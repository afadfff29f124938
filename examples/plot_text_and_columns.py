"""
Topics beside other columns of a table
======================================

Tables often combine a text column with columns of numbers and categories.
``ColumnTransformer`` turns the text into topic proportions and joins them with the
other columns, in a pipeline that scikit-learn can search and cross-validate.
"""

# %%
# The table has one row per passage of a State of the Union address, with its text, its
# length, and the party of the president. The target is the year.
import matplotlib.pyplot as plt
import pandas as pd
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklda import CollapsedGibbsLDA
from sklda.datasets import load_state_of_the_union

corpus = load_state_of_the_union()
table = pd.DataFrame(
    {
        "text": corpus.data,
        "length": [len(text) for text in corpus.data],
        "party": [corpus.target_names[i] for i in corpus.target],
    }
)
print(table.drop(columns="text").tail(3).to_string())

# %%
# Pass the name of the text column as a string, not as a list, because a vectorizer
# takes a single column. Each fold counts the words of its own training documents. The
# rows are sorted by year, so the folds are drawn at random. The score is R².
counter = CountVectorizer(stop_words="english", min_df=5, max_df=0.2)
topics = make_pipeline(counter, CollapsedGibbsLDA(max_iter=60, random_state=0))
others = [
    ("length", StandardScaler(), ["length"]),
    ("party", OneHotEncoder(sparse_output=False), ["party"]),
]
features = {
    "other columns": ColumnTransformer(others),
    "topics": ColumnTransformer([("text", topics, "text")]),
    "topics and other columns": ColumnTransformer([("text", topics, "text"), *others]),
}
folds = KFold(5, shuffle=True, random_state=0)
for name, columns in features.items():
    model = make_pipeline(columns, Ridge())
    print(f"{cross_val_score(model, table, corpus.year, cv=folds).mean():.3f}  {name}")

# %%
# The number of topics is a parameter of the whole pipeline. The fits are short, and the
# warning says that the priors of two of them were still changing.
search = GridSearchCV(
    make_pipeline(features["topics and other columns"], Ridge()),
    {"columntransformer__text__collapsedgibbslda__n_components": [5, 10, 20, 40]},
    cv=folds,
).fit(table, corpus.year)
print(f"{search.best_score_:.3f} with {search.best_params_}")

# %%
# To get the features as a data frame, set the output of all estimators at once.
# ``set_output`` on the pipeline fails, because a vectorizer does not support it. The
# rows must be numbered from 0, because the vectorizer drops the index.
with sklearn.config_context(transform_output="pandas"):
    frame = features["topics and other columns"].fit_transform(table)
print(frame.iloc[:3, 8:12].round(2).to_string())

# %%
# Plot R² for each number of topics. Bars show standard errors over the folds.
results = search.cv_results_
numbers = results["param_columntransformer__text__collapsedgibbslda__n_components"]
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
errors = results["std_test_score"] / 5**0.5
ax.errorbar(numbers.astype(int), results["mean_test_score"], errors, marker="o")
ax.set(
    xlabel="topics",
    ylabel="R²",
    title="Year of a passage, from topics and other columns",
)
ax.set_xticks(numbers.astype(int))
plt.show()
