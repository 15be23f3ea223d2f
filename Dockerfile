# fitguard beside the official TensorFlow, with CUDA:
#   docker build -t fitguard .
#   docker run --gpus all --init --rm -v "$PWD":/work fitguard fitguard run train.py
ARG TENSORFLOW=2.21.0
FROM tensorflow/tensorflow:${TENSORFLOW}-gpu

COPY pyproject.toml README.md LICENSE /fitguard/
COPY src /fitguard/src
RUN python3 -m pip install --no-cache-dir /fitguard && rm -rf /fitguard

WORKDIR /work
CMD ["fitguard", "doctor"]
