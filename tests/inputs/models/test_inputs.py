"""What each input of a model takes, and what stands behind it."""

from typing import Any

import pytest
from inputs.models import zoo

from fitguard.inputs.models import describe
from fitguard.schema.model import IndexTable, ModelInput


def only_input(model: Any) -> ModelInput:
    found = describe(model).inputs
    assert found is not None
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("shape", ["list", "dict"])
def test_names_shapes_and_dtypes_of_several_inputs(library, shape):
    found = describe(zoo.two_by_two(library, shape)).inputs
    assert {one.name: (one.shape, one.dtype, one.reader) for one in found} == {
        "image": ((None, 8, 8, 3), "float32", "eye"),
        "city": ((None, 1), "int32", "cities"),
    }


def test_the_order_of_inputs_is_the_one_of_a_list_given_to_fit(library):
    names = [one.name for one in describe(zoo.two_by_two(library, "list")).inputs]
    assert names == ["image", "city"]


def test_keys_of_a_dict_name_the_inputs(keras2):
    one, two = keras2.Input((2,), name="left"), keras2.Input((3,), name="right")
    joined = keras2.layers.Concatenate()([one, two])
    model = keras2.Model({"b": one, "a": two}, keras2.layers.Dense(1)(joined))
    assert {i.name: i.shape for i in describe(model).inputs} == {"b": (None, 2), "a": (None, 3)}


def test_sequential_without_input_is_known_by_its_layers(library):
    layers = library.layers
    model = library.Sequential([layers.Flatten(), layers.Embedding(7, 2, name="words")])
    found = only_input(model)
    assert (found.shape, found.tables) == (None, (IndexTable("words", 7),))
    assert not model.built


def test_an_input_that_may_be_left_out(keras3):
    one, two = keras3.Input((2,), name="must"), keras3.Input((2,), name="may", optional=True)
    model = keras3.Model(
        [one, two], keras3.layers.Dense(1)(keras3.layers.Concatenate()([one, two]))
    )
    assert [i.optional for i in describe(model).inputs] == [False, True]


def test_subclassed_model_does_not_tell_its_inputs(library):
    assert describe(zoo.own_model(library)).inputs is None


def test_subclassed_model_built_for_one_tensor_tells_its_token_table(library):
    class Reader(library.Model):
        def __init__(self):
            super().__init__(name="reader")
            self.token_emb = library.layers.Embedding(7, 2)
            self.other = library.layers.Embedding(3, 2)

        def call(self, x):
            return self.token_emb(x)

    model = Reader()
    assert describe(model).inputs is None
    model.build((None, 5))
    assert only_input(model).tables == (IndexTable("reader.token_emb", 7),)


def test_text_inputs(library):
    layers = library.layers
    model = library.Sequential(
        [
            library.Input((1,), dtype="string"),
            layers.TextVectorization(max_tokens=5, vocabulary=["a", "b"]),
            layers.Embedding(5, 2),
        ]
    )
    found = only_input(model)
    assert (found.takes_text, found.dtype, found.tables) == (True, "string", ())
    unbuilt = library.Sequential([layers.StringLookup(vocabulary=["a"]), layers.Embedding(3, 2)])
    assert only_input(unbuilt).takes_text
    assert not only_input(library.Sequential([layers.Dense(1)])).takes_text


def through(library: Any, *between: Any) -> tuple[IndexTable, ...]:
    tokens = library.Input((4,), dtype="int32")
    value = tokens
    for layer in between:
        value = layer(value)
    model = library.Model(tokens, library.layers.Embedding(7, 2, name="table")(value))
    return only_input(model).tables


def test_an_index_reaches_its_table_through_what_does_not_change_it(library):
    layers = library.layers
    inner = library.Sequential([library.Input((2, 2), dtype="int32"), layers.Flatten()])
    assert through(library, layers.Reshape((2, 2)), inner) == (IndexTable("table", 7),)
    assert through(library, layers.Activation("linear")) == (IndexTable("table", 7),)


def test_an_index_that_is_changed_is_no_index_of_the_table(library):
    layers = library.layers
    assert through(library, layers.IntegerLookup(vocabulary=[1, 2])) == ()
    assert through(library, lambda value: value + 1) == ()
    # One column of several: the limit is not that of the whole input.
    assert through(library, lambda value: value[:, :1]) == ()


def test_tables_in_nested_shared_and_time_distributed_places(library):
    layers = library.layers
    table = layers.Embedding(7, 2, name="shared")
    inner_tokens = library.Input((3,), dtype="int32")
    inner = library.Model(inner_tokens, table(inner_tokens))
    left = library.Input((3,), dtype="int32", name="left")
    right = library.Input((3,), dtype="int32", name="right")
    pages = library.Input((2, 3), dtype="int32", name="pages")
    each = layers.TimeDistributed(layers.Embedding(9, 2), name="each")(pages)
    ends = [inner(left), table(right), layers.Flatten()(each)]
    found = describe(library.Model([left, right, pages], ends)).inputs
    assert [one.tables for one in found] == [
        (IndexTable("shared", 7),),
        (IndexTable("shared", 7),),
        (IndexTable("each", 9),),
    ]


def test_the_transformer_of_keras_io(library):
    found = only_input(zoo.transformer(library))
    assert found.tables == (IndexTable("embed.token_emb", zoo.VOCABULARY),)
    assert (found.longest, found.longest_layer) == (zoo.LONGEST, "embed.pos_emb")
    assert found.rescaled is None
