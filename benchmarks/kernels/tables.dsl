# Tables filled in an order: dynamic programming, graphs and checksums.

## The lengths of the shortest paths between all pairs.
def floyd_warshall(d: f64[n, n]) -> f64[n, n] =
    fold d = d for k in range(n) do minimum(d, d[:, k][:, None] + d[k][None, :])

## The table of the best global alignments; a gap costs `gap`. Within a row, gaps run along a running maximum.
def needleman_wunsch(a: i32[n], b: i32[m], gap: i32) -> i32[n + 1, m + 1] =
    let costs = gap * arange(m + 1, dtype=i32)
    let first = -costs
    let (_, rows) = scan above = first for i, letter in zip(range(n), a) do
        let paired = above[:-1] + where(b == letter, 1, -1)
        let best = concatenate(([-gap * (i + 1)], maximum(paired, above[1:] - gap)))
        let row = cummax(best + costs) - costs
        (row, row)
    concatenate((first[None], rows))

## The most pairs of bases in any part of a strand; two bases pair if they sum to 3.
def nussinov(s: i32[n]) -> i32[n, n] =
    fold t = zeros([n, n], i32) for i in range(n) reverse do
        fold t = t for j in range(n) do
            let k = arange(n)
            let below = t.at[i + 1].get(mode="fill", fill=0)
            let left = if j >= 1 then j - 1 else 0
            let inner = below[left] + i32((s[i] + s[j] == 3) & (i < j - 1))
            let under = roll(t[:, j], -1)
            let halves = max(where((k >= i) & (k < j), t[i] + under, 0))
            let best = maximum(maximum(below[j], t[i, left]), maximum(inner, halves))
            t.at[i, j].set(if j > i then best else t[i, j])

## The checksum of bytes by the polynomial 0x1021, bit by bit.
def crc16(data: i32[n]) -> i32 =
    fold crc = 65535 for byte in data do
        fold crc = crc ^ (byte << 8) for _ in range(8) do
            let moved = (crc << 1) & 65535
            if crc & 32768 != 0 then moved ^ 4129 else moved
