
-
x0Placeholder*
dtype0	*
shape:
/
SerializeTensorSerializeTensorx0*
T0	"ª