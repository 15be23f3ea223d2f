"""Public Keras examples that train without a network, and what is made smaller in each.

None of their text is here: a path, and values for names that the example sets at its top level.
"""

import ast
from typing import Any

ROWS = "rows"
"""How many rows its data have; all other keys are names in the example."""
FEWEST_ROWS = 192
_IN_ALL = {"batch_size": 32, "BATCH_SIZE": 32}
_LONG = {ROWS: 40_192}
"""It cuts its data at a row that is written in it."""

EXAMPLES: dict[str, dict[str, Any]] = {
    "vision/mnist_convnet.py": {},
    "generative/vae.py": {},
    "generative/conditional_gan.py": {},
    "generative/pixelcnn.py": {"n_residual_blocks": 1, "batch": 1},
    "generative/vq_vae.py": {},
    "generative/wgan_gp.py": {},
    "keras_recipes/antirectifier.py": {},
    "keras_recipes/debugging_tips.py": {},
    "keras_recipes/endpoint_layer_pattern.py": {},
    "keras_recipes/packaging_keras_models_for_wide_distribution.py": {},
    "keras_recipes/reproducibility_recipes.py": {},
    "keras_recipes/subclassing_conv_layers.py": {},
    "keras_recipes/tensorflow_numpy_models.py": {},
    "keras_recipes/trainer_pattern.py": {},
    "nlp/addition_rnn.py": {"TRAINING_SIZE": 300},
    "nlp/bidirectional_lstm_imdb.py": {},
    "nlp/text_classification_with_switch_transformer.py": {},
    "nlp/text_classification_with_transformer.py": {},
    "vision/attention_mil_classification.py": {},
    "vision/autoencoder.py": {},
    "vision/cct.py": {},
    "vision/convmixer.py": {},
    "vision/cutmix.py": {},
    "vision/eanet.py": {"num_transformer_blocks": 2},
    "vision/image_classification_with_vision_transformer.py": {"transformer_layers": 2},
    "vision/involution.py": {},
    "vision/knowledge_distillation.py": {},
    "vision/mixup.py": {},
    "vision/mlp_image_classification.py": {"num_blocks": 2},
    "vision/perceiver_image_classification.py": {"patch_size": 8, "num_transformer_blocks": 1},
    "vision/semantic_image_clustering.py": {},
    "vision/siamese_contrastive.py": {ROWS: 30_192},
    "vision/swin_transformers.py": {},
    "vision/temporal_latent_bottleneck.py": {},
    "vision/vit_small_ds.py": {},
    "vision/masked_image_modeling.py": _LONG,
    "vision/patch_convnet.py": _LONG,
    "vision/shiftvit.py": _LONG,
    "vision/token_learner.py": _LONG,
    "vision/focal_modulation_network.py": _LONG,
}


def shortened(source: str, constants: dict[str, Any]) -> str:
    """The example, with other values for some names that it sets."""
    constants = {**_IN_ALL, **constants}
    tree = ast.parse(source)
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name) and target.id in constants:
                statement.value = ast.parse(repr(constants[target.id]), mode="eval").body
    return ast.unparse(tree)
