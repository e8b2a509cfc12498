"""Writes steps.pbtxt, and steps.json with the results of TensorFlow's partial_run."""
import json, os
import tensorflow as tf

tf1 = tf.compat.v1
here = os.path.dirname(os.path.abspath(__file__))
MANY = 200


def ph(name, dtype=tf.float32, shape=()):
    return tf1.placeholder(dtype, shape, name=name)


g = tf.Graph()
with g.as_default():
    tf1.disable_control_flow_v2()
    # Two steps.
    a, b, c = ph("a"), ph("b"), ph("c")
    r1 = tf.add(a, b, name="r1")
    tf.multiply(r1, c, name="r2")
    # No feeds.
    tf.add(tf.constant(3.0), tf.constant(4.0), name="seven")
    # A batch size known only at run time; part of the computation is on another device.
    p, q, w = ph("p", shape=[None, 3]), ph("q", shape=[None, 3]), ph("w", shape=[3, 2])
    p2 = tf.multiply(p, 2.0, name="p2")
    tf.shape(q, name="q_shape")
    with tf.device("/cpu:1"):
        pw = tf.matmul(p2, w, name="pw")
        near = tf.exp(tf.negative(p2), name="near")
    tf.concat([p2 + near, q * tf.reduce_sum(pw)], 0, name="rows")
    tf.reduce_mean(pw, 0, name="pw_mean")
    # A branch: the condition is fed first.
    pred, x, y = ph("pred", tf.bool), ph("x", shape=[2]), ph("y", shape=[2])
    tf.identity(tf1.cond(pred, lambda: x + 1.0, lambda: x * y), name="branch")
    tf.identity(tf1.cond(pred, lambda: x + 10.0, lambda: x - 10.0), name="only_x")
    # A loop whose bound, start and step are fed separately.
    n, start, step, after = ph("n", tf.int32), ph("start"), ph("step"), ph("after")
    _, s = tf1.while_loop(lambda i, v: i < n, lambda i, v: (i + 1, v + step), [0, start])
    total = tf.identity(s, name="total")
    tf.multiply(total, after, name="total_after")
    tf.multiply(start, 3.0, name="start3")
    # State: added to in one step, read in a later one.
    v = tf1.get_variable("v", shape=[2], initializer=tf1.zeros_initializer(), use_resource=True)
    by, times = ph("by", shape=[2]), ph("times")
    added = v.assign_add(by, read_value=False)
    with tf.control_dependencies([added]):
        read = tf.identity(v.read_value(), name="after_add")
        tf1.no_op(name="bump")
    tf.multiply(read, times, name="read_times")
    tf.identity(v.read_value(), name="v_now")
    with tf.control_dependencies([v.assign_add([1.0, 1.0], read_value=False)]):
        tf1.no_op(name="bump_one")
    # A size that a step computes.
    u, z = ph("u", tf.int32, [None]), ph("z", tf.int32, [None])
    vals, idx = tf.unique(u)
    tf.identity(vals, name="vals")
    tf.add(tf.reduce_sum(tf.cast(tf.shape(vals), tf.int32)), tf.reduce_sum(tf.gather(vals, z)), name="picked")
    tf.concat([vals, z], 0, name="vals_z")
    # One output of a node with two.
    sw = tf.raw_ops.Switch(data=tf.constant(1.0), pred=tf.constant(True), name="sw")
    tf.identity(sw[0], name="off")
    tf.identity(sw[1], name="on")
    # Nodes that fail, and nodes that wait.
    at = ph("at", tf.int32)
    got = tf.gather(tf.constant([1.0, 2.0, 3.0]), at, name="got")
    tf.multiply(got, c, name="got_c")
    queue = tf.queue.FIFOQueue(4, [tf.float32], [()], name="queue")
    with tf.control_dependencies([tf.identity(a)]):
        tf.add(queue.dequeue(), b, name="waited")
    # Words.
    word, ending = ph("word", tf.string, [None]), ph("ending", tf.string)
    upper = tf.strings.upper(word, name="upper")
    tf.strings.join([upper, ending], name="ended")
    # Many.
    m = tf.constant(2.0)
    for i in range(MANY):
        m = tf.multiply(m, ph(f"in{i}"), name=f"out{i}")
    init = tf1.variables_initializer([v], name="init")

with open(os.path.join(here, "steps.pbtxt"), "w") as f:
    f.write(str(g.as_graph_def()))

CASES = [  # name, steps of feeds and fetches
    ("two_steps", [({"a:0": 1.0, "b:0": 2.0}, ["r1:0"]), ({"c:0": 51.0}, ["r2:0"])]),
    ("feed_only_step", [({"a:0": 1.0}, []), ({"b:0": 2.0}, []), ({}, ["r1:0"]), ({"c:0": 5.0}, []), ({}, ["r2:0"])]),
    ("no_feeds", [({}, ["seven:0"])]),
    ("batch", [({"p:0": [[0.5, 1, 2], [1, 0, 1]]}, ["p2:0"]), ({"q:0": [[1, 2, 3]]}, ["q_shape:0"]),
               ({"w:0": [[1, 2], [3, 4], [5, 6]]}, ["pw_mean:0", "rows:0"])]),
    ("batch_q_first", [({"q:0": [[1, 2, 3]] * 4}, ["q_shape:0"]), ({"w:0": [[1, 0], [0, 1], [1, 1]]}, []),
                       ({"p:0": [[1, 2, 3]]}, ["rows:0", "p2:0", "pw_mean:0"])]),
    ("branch_true", [({"pred:0": True}, []), ({"x:0": [1, 2]}, ["only_x:0"]), ({"y:0": [3, 4]}, ["branch:0"])]),
    ("branch_false", [({"x:0": [1, 2]}, []), ({"pred:0": False}, ["only_x:0"]), ({"y:0": [3, 4]}, ["branch:0"])]),
    ("loop", [({"start:0": 2.0}, ["start3:0"]), ({"n:0": 4}, []), ({"step:0": 0.5}, ["total:0"]), ({"after:0": 10.0}, ["total_after:0"])]),
    ("loop_none", [({"n:0": 0, "step:0": 1.0, "start:0": 7.0}, ["total:0", "start3:0"]), ({"after:0": 2.0}, ["total_after:0"])]),
    ("state", [({"by:0": [1, 2]}, ["after_add:0"]), ({"times:0": 10.0}, ["read_times:0"])]),
    ("found", [({"u:0": [5, 5, 7, 9, 7]}, ["vals:0"]), ({"z:0": [2, 0]}, ["picked:0", "vals_z:0"])]),
    ("output_of_switch", [({"sw:1": 5.0}, ["on:0"]), ({"sw:0": 6.0}, ["off:0"])]),
    ("words", [({"word:0": ["ab", "c"]}, ["upper:0"]), ({"ending:0": "!"}, ["ended:0"])]),
    ("many_steps", [({f"in{i}:0": 1.0 + i % 3 / 8}, [f"out{i}:0"]) for i in range(MANY)]),
]
out = []
for name, steps in CASES:
    with tf1.Session(graph=g, config=tf1.ConfigProto(allow_soft_placement=True)) as s:
        s.run(init)
        fetches = [f for _, fs in steps for f in fs]
        feeds = [f for fed, _ in steps for f in fed]
        h = s.partial_run_setup(fetches, feeds)
        rec = []
        for fed, fs in steps:
            got = s.partial_run(h, fs, fed) if fs or fed else []
            text = lambda v: v.decode() if isinstance(v, bytes) else [text(x) for x in v] if isinstance(v, list) else v
            rec.append({"feeds": fed, "fetches": {f: text(v.tolist() if hasattr(v, "tolist") else v) for f, v in zip(fs, got)}})
        out.append({"name": name, "steps": rec})
json.dump(out, open(os.path.join(here, "steps.json"), "w"), indent=1)

# Prints TensorFlow's errors, for reference.
with tf1.Session(graph=g) as s:
    def tell(what, f):
        try:
            f()
        except Exception as e:
            print(what, type(e).__name__, str(e).splitlines()[0][:160])
        else:
            print(what, "no error")
    h = s.partial_run_setup(["r1:0", "r2:0"], ["a:0", "b:0", "c:0"])
    tell("too early", lambda: s.partial_run(h, "r2:0", {"a:0": 1.0, "b:0": 2.0}))
    tell("then", lambda: s.partial_run(h, "r1:0", {}))
    h = s.partial_run_setup(["r1:0"], ["a:0", "b:0", "c:0"])
    s.partial_run(h, "r1:0", {"a:0": 1.0, "b:0": 2.0})
    tell("after the last fetch", lambda: s.partial_run(h, [], {"c:0": 1.0}))
    tell("after that", lambda: s.partial_run(h, [], {"c:0": 1.0}))
