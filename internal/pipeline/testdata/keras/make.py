"""Writes the SavedModel in the folder model with Keras 3's export: two inputs, two outputs, and the signatures serve and serving_default."""
import pathlib
import shutil

import keras
import numpy as np

here = pathlib.Path(__file__).parent
keras.utils.set_random_seed(1)
age = keras.layers.Input((4,), name="age")
items = keras.layers.Input((2,), name="items")
x = keras.layers.Concatenate()([age, items])
x = keras.layers.Dense(5, activation="relu", bias_initializer="ones")(x)
model = keras.Model(
    {"age": age, "items": items},
    {"score": keras.layers.Dense(3, name="score")(x), "rank": keras.layers.Dense(1, activation="sigmoid", name="rank")(x)},
)
shutil.rmtree(here / "model", ignore_errors=True)
model.export(here / "model", verbose=False)
shutil.rmtree(here / "model" / "assets")
(here / "model" / "fingerprint.pb").unlink()
feeds = {"age": np.array([[1, 2, 3, 4], [-1, 0, 1, 0]], "float32"), "items": np.array([[1, -1], [0.5, 2]], "float32")}
for name, value in model(feeds).items():
    print(name, value.numpy().tolist())
