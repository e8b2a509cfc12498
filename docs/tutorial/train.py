import json

import keras
import tensorflow as tf

keras.utils.set_random_seed(1)
texts = ["loved it", "what a great film", "a wonderful cast", "great fun",
         "hated it", "what a dull film", "a terrible cast", "no fun at all"]
labels = [1, 1, 1, 1, 0, 0, 0, 0]

words = keras.layers.TextVectorization(max_tokens=100, output_sequence_length=8)
words.adapt(texts)
model = keras.Sequential([
    keras.Input(shape=(), dtype="string", name="review"),
    words,
    keras.layers.Embedding(100, 16),
    keras.layers.GlobalAveragePooling1D(),
    keras.layers.Dense(1, activation="sigmoid", name="score"),
])
model.compile(optimizer=keras.optimizers.Adam(0.05), loss="binary_crossentropy")
model.fit(tf.constant(texts), tf.constant(labels), epochs=40, verbose=0)

model.export("sentiment")  # a SavedModel

# What Keras answers, for the test of the Go program.
reviews = ["loved it", "a dull cast", "great cast, terrible film"]
scores = model.predict(tf.constant(reviews), verbose=0)
with open("expected.json", "w") as f:
    json.dump({"reviews": reviews, "scores": [float(s[0]) for s in scores]}, f)
