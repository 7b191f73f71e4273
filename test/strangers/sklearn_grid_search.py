"""scikit-learn fits and searches, in its own threads and in processes of joblib.
needs: sklearn scipy numpy joblib
"""
import warnings

import numpy
from sklearn.cluster import KMeans
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

samples, classes = make_classification(300, 20, n_informative=8, random_state=0)
pipeline = make_pipeline(StandardScaler(), PCA(10, random_state=0), LogisticRegression())
search = GridSearchCV(pipeline, {"logisticregression__C": [0.01, 0.1, 1.0]}, n_jobs=2, cv=3).fit(samples, classes)
print(search.best_params_, search.cv_results_["mean_test_score"].tolist())
for model in (RandomForestClassifier(20, random_state=0, n_jobs=2), SVC(), HistGradientBoostingClassifier(max_iter=10, random_state=0)):
    print(type(model).__name__, cross_val_score(model, samples, classes, cv=3).tolist())
print(KMeans(3, n_init=2, random_state=0).fit(samples).inertia_)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    network = MLPClassifier((16,), max_iter=20, random_state=0).fit(samples, classes)
print(network.loss_, [str(warning.message) for warning in caught])
print(numpy.linalg.svd(samples)[1].tolist())
print("models", {})
