
;
x0Placeholder*
shape:*
dtype0
I
x1Placeholder*)
shape :ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ*
dtype0
7
DrawBoundingBoxesDrawBoundingBoxesx0x1*
T0"ª