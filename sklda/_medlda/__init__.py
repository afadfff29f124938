"""Max-margin supervised topics (Zhu et al., JMLR 2014; Zheng, 2016)."""
