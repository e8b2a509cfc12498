
E
x0Placeholder*
dtype0*%
shape:ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ
/
SerializeTensorSerializeTensorx0*
T0"ª