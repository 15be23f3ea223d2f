"""Tables that the user's own layers hold."""

import numpy as np
import pytest

from fitguard.inputs.models import describe
from fitguard.inputs.models.lookups import says_position, says_token
from fitguard.schema.model import IndexTable


@pytest.mark.parametrize(
    "name", ["pos_emb", "PositionEmbedding", "positional_encoding_1", "wpe", "posembed", "AddPos"]
)
def test_names_of_positions(name):
    assert says_position(name)


@pytest.mark.parametrize(
    "name", ["conv2d_transpose", "composer", "positive_pairs", "post_norm", "posterior", "x"]
)
def test_names_that_only_look_like_positions(name):
    assert not says_position(name)


def test_names_of_tokens():
    assert says_token("token_emb")
    assert says_token("WordEmbedding")
    assert not says_token("tokenizer")
    assert not says_token("keyword")


def layer_with(library, name, **attributes):
    """A layer of the user's own that keeps these things and returns numbers."""

    class Own(library.layers.Layer):
        def __init__(self):
            super().__init__(name=name)
            self.built = True
            for attribute, value in attributes.items():
                setattr(self, attribute, value)

        def compute_output_shape(self, shape):
            return (*shape, 2)

        def call(self, x, other=0):
            import tensorflow as tf

            numbers = tf.cast(x + other, "float32")
            return numbers[..., None] * tf.ones((2,))

    return Own()


def first_input(library, layer, shape=(4,)):
    tokens = library.Input(shape, dtype="int32", name="tokens")
    return describe(library.Model(tokens, layer(tokens))).inputs[0]


def test_a_constant_table_of_positions_and_the_one_embedding_beside_it(library):
    table = library.layers.Embedding(7, 2)
    layer = layer_with(library, "p", embedding=table, pos_encoding=np.zeros((1, 9, 2), "float32"))
    found = first_input(library, layer)
    assert (found.longest, found.longest_layer) == (9, "p.pos_encoding")
    assert found.tables == (IndexTable("p.embedding", 7),)


def test_embeddings_that_nothing_tells_apart_are_left_out(library):
    embedding = library.layers.Embedding
    layer = layer_with(library, "p", one=embedding(7, 2), two=embedding(3, 2))
    found = first_input(library, layer)
    assert (found.tables, found.longest) == ((), None)


def test_a_table_of_patches_says_nothing_of_the_input(library):
    dense, table = library.layers.Dense(2), library.layers.Embedding(3, 2)
    layer = layer_with(library, "encoder", projection=dense, position_embedding=table)
    assert first_input(library, layer).longest is None
    pictures = layer_with(library, "add_position", table=library.layers.Embedding(3, 2, name="pos"))
    assert first_input(library, pictures, (4, 4, 3)).longest is None
    assert first_input(library, pictures, (4,)).longest == 3


def test_a_layer_of_two_inputs_tells_nothing_of_its_tables(library):
    layer = layer_with(library, "p", token_emb=library.layers.Embedding(7, 2))
    one, two = library.Input((4,), dtype="int32"), library.Input((4,), dtype="int32")
    found = describe(library.Model([one, two], layer(one, two))).inputs
    assert [i.tables for i in found] == [(), ()]


def test_the_way_to_a_position_layer_behind_an_embedding(library):
    weight = np.zeros((6, 2), "float32")
    layer = layer_with(library, "positional", pos=weight)
    tokens = library.Input((4,), dtype="int32", name="tokens")
    embedded = library.layers.Dropout(0.1)(library.layers.Embedding(7, 2, mask_zero=True)(tokens))
    found = describe(library.Model(tokens, layer(embedded))).inputs[0]
    assert found.longest == 6
