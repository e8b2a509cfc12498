
/
x0Placeholder*
dtype0*
shape:
D
DecodeCompressedDecodeCompressedx0*
compression_typeZLIB"ª