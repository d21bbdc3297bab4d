"""Times cores of latent attention for measure_kernels.py: FlashInfer's kernels, or PyTorch's."""

from measure_card import Skipped, fastest, preferred, whole, wide_type


def latent(card, row):
    """FlashInfer's kernels, or PyTorch's where it is not there or has none for this device."""
    if row.get("part") == "layer":
        raise Skipped("a layer of latent attention: its products are rows of their own")
    if int(float(row.get("cached") or 0)):
        raise Skipped("a prompt behind tokens that the cache holds")
    if (row.get("kv_precision") or row["precision"]) != row["precision"]:
        raise Skipped(f"latent attention over a cache in {row['kv_precision']}")
    is_decode = row["op"] == "latent_decode"
    kind = wide_type(card.torch, row)

    def of_flashinfer(flashinfer):
        make = flashinfer_decode if is_decode else flashinfer_prefill
        calls, name = make(card, row, kind, flashinfer)
        return card.seconds(calls), f"FlashInfer {flashinfer.__version__} {name}"

    found = preferred(card, "flashinfer", of_flashinfer)
    if found:
        return found
    make = latent_decode_calls if is_decode else latent_prefill_calls
    return fastest(card, make(card, row, kind), ("FLASH", "CUDNN", "EFFICIENT"))


def latent_sizes(row):
    """Sequences, tokens, heads; widths of queries and keys, of values; of the latent's parts."""
    batch, seq, heads, rank, rope = (
        whole(row, c) for c in ("batch", "seq", "heads", "kv_rank", "rope_dim"))
    nope = int(float(row.get("nope_dim") or 128))
    return batch, seq, heads, nope + rope, int(float(row.get("value_dim") or nope)), rank, rope


def latent_prompts(card, row, kind):
    """Queries, keys and values of all heads, tokens first."""
    batch, seq, heads, dim, value_dim, _, _ = latent_sizes(row)
    for _ in range(min(64, card.sets(2 * batch * seq * heads * (2 * dim + value_dim)))):
        yield [card.take(kind, batch * seq, heads, d) for d in (dim, dim, value_dim)]


def latent_prefill_calls(card, row, kind):
    batch, seq = latent_sizes(row)[:2]
    run = card.torch.nn.functional.scaled_dot_product_attention
    calls = []
    for parts in latent_prompts(card, row, kind):
        q, k, v = (p.view(batch, seq, *p.shape[1:]).transpose(1, 2) for p in parts)
        calls.append(lambda q=q, k=k, v=v: run(q, k, v, is_causal=True))
    return calls


def latent_decode_calls(card, row, kind):
    """One head of keys, whose first elements are the values; query heads are rows of one query."""
    batch, seq, heads, _, _, rank, rope = latent_sizes(row)
    run = card.torch.nn.functional.scaled_dot_product_attention
    calls = []
    for _ in range(min(64, card.sets(2 * batch * seq * (rank + rope)))):
        q = card.take(kind, batch, 1, heads, rank + rope)
        cache = card.take(kind, batch, 1, seq, rank + rope)
        calls.append(lambda q=q, k=cache, v=cache[..., :rank]: run(q, k, v))
    return calls


def counted(card, length):
    """0, 1, ... as int32."""
    return card.torch.arange(length, dtype=card.torch.int32, device="cuda")


def workspace(card):
    return card.torch.zeros(128 << 20, dtype=card.torch.uint8, device="cuda")


def flashinfer_prefill(card, row, kind, flashinfer):
    """As flashinfer 0.6.18, tests/attention/test_deepseek_mla.py, calls it."""
    batch, seq, heads, dim, value_dim, _, _ = latent_sizes(row)
    wrapper = flashinfer.prefill.BatchPrefillWithRaggedKVCacheWrapper(workspace(card), "NHD")
    ends = counted(card, batch + 1) * seq
    wrapper.plan(ends, ends, heads, heads, dim, head_dim_vo=value_dim, causal=True,
                 q_data_type=kind)
    return [lambda q=q, k=k, v=v: wrapper.run(q, k, v)
            for q, k, v in latent_prompts(card, row, kind)], "ragged prefill"


def flashinfer_decode(card, row, kind, flashinfer):
    """As flashinfer 0.6.18, flashinfer/mla/_core.py, has it: on Blackwell TensorRT-LLM's kernels,
    on others those of the wrapper."""
    batch, seq, heads, dim, _, rank, rope = latent_sizes(row)
    page = 64 if seq % 64 == 0 else 1
    pages = batch * seq // page
    caches = [card.take(kind, pages, page, rank + rope)
              for _ in range(min(64, card.sets(2 * batch * seq * (rank + rope))))]
    scale = dim ** -0.5
    lengths = counted(card, batch) * 0 + seq
    if card.torch.cuda.get_device_capability()[0] >= 10:
        room, table = workspace(card), counted(card, pages).view(batch, seq // page)
        run = flashinfer.decode.trtllm_batch_decode_with_kv_cache_mla
        calls = []
        for cache in caches:
            q = card.take(kind, batch, 1, heads, rank + rope)
            calls.append(lambda q=q, cache=cache: run(
                query=q, kv_cache=cache.unsqueeze(1), workspace_buffer=room,
                qk_nope_head_dim=dim - rope, kv_lora_rank=rank, qk_rope_head_dim=rope,
                block_tables=table, seq_lens=lengths, max_seq_len=seq, bmm1_scale=scale,
                bmm2_scale=1.0))
        return calls, "trtllm-gen MLA decode"
    wrapper = flashinfer.mla.BatchMLAPagedAttentionWrapper(workspace(card))
    wrapper.plan(counted(card, batch + 1), counted(card, batch + 1) * (seq // page),
                 counted(card, pages), lengths, heads, rank, rope, page, False, scale, kind, kind)
    calls = []
    for cache in caches:
        latents, keys = cache[..., :rank].contiguous(), cache[..., rank:].contiguous()
        q, q_rope = card.take(kind, batch, heads, rank), card.take(kind, batch, heads, rope)
        calls.append(lambda q=q, q_rope=q_rope, latents=latents, keys=keys: wrapper.run(
            q, q_rope, latents, keys))
    return calls, "MLA decode"
