"""A student learns from a teacher that was trained before."""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep
from keras import layers

keras.utils.set_random_seed(13)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

teacher = keras.Sequential([layers.Dense(16, "relu"), layers.Dense(1)])
teacher.compile("adam", "mse")
first = teacher.fit(x, y, batch_size=8, epochs=3, verbose=0)


class Student(keras.Model):
    def __init__(self, teacher, share):
        super().__init__()
        self.teacher, self.share = teacher, share
        self.teacher.trainable = False
        self.inner = layers.Dense(1)

    def call(self, inputs):
        return self.inner(inputs)

    def train_step(self, data):
        inputs, target = data
        with tf.GradientTape() as tape:
            output, soft = self(inputs), self.teacher(inputs)
            hard_loss, soft_loss = (
                tf.reduce_mean((output - target) ** 2),
                tf.reduce_mean((output - soft) ** 2),
            )
            loss = self.share * hard_loss + (1 - self.share) * soft_loss
        weights = self.inner.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return {"loss": loss, "soft": soft_loss}


student = Student(teacher, 0.3)
student.compile(keras.optimizers.Adam(0.02))
second = student.fit(x, y, batch_size=8, epochs=4, verbose=0)
keep(first=first, second=second, teacher=teacher, student=student)
