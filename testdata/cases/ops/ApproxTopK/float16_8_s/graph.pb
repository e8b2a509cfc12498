
/
x0Placeholder*
dtype0*
shape:
Á

ApproxTopK
ApproxTopKx0*,
reduction_input_size_overrideÿÿÿÿÿÿÿÿÿ*
recall_target%fff?*
is_max_k(*
k*"
reduction_dimensionÿÿÿÿÿÿÿÿÿ*
aggregate_to_topk(*
T0
#
y0Identity
ApproxTopK*
T0
%
y1IdentityApproxTopK:1*
T0"ª