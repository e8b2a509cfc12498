
7
xPlaceholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
7
uPlaceholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ

ySignx*
T0

vSignu*
T0"ª