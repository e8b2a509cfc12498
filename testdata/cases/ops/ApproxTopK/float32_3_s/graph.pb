
/
x0Placeholder*
dtype0*
shape:
Á

ApproxTopK
ApproxTopKx0*,
reduction_input_size_overrideÿÿÿÿÿÿÿÿÿ*
is_max_k(*
recall_target%fff?*
k*"
reduction_dimensionÿÿÿÿÿÿÿÿÿ*
T0*
aggregate_to_topk(
#
y0Identity
ApproxTopK*
T0
%
y1IdentityApproxTopK:1*
T0"ª