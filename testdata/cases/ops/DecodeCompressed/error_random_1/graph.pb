
8
x0Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
D
DecodeCompressedDecodeCompressedx0*
compression_typeGZIP"ª