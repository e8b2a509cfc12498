
/
x1Placeholder*
dtype0*
shape:


SdcaFprint
SdcaFprintx1
#
y0Identity
SdcaFprint*
T0	"ª