
M
x0Placeholder*-
shape$:"ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ*
dtype0
R
x1Placeholder*2
shape):'ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ*
dtype0
3
x2Placeholder*
shape
:*
dtype0
?
DrawBoundingBoxesV2DrawBoundingBoxesV2x0x1x2*
T0"ª