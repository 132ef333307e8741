// The QR code that Supabase Auth returns for a second factor, as an SVG document. This file
// supports only what an otpauth URI needs: byte mode and error correction level L.

/** The number of error-correction bytes in each block. The first number is for version 1. */
const CORRECTION = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
/** The number of blocks. The first number is for version 1. */
const BLOCKS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];
/** Where the centres of the alignment patterns are, by version. */
const ALIGNED = [
  ...[[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46]],
  ...[[6, 28, 50], [6, 30, 54], [6, 32, 58], [6, 34, 62], [6, 26, 46, 66], [6, 26, 48, 70]],
  ...[[6, 26, 50, 74], [6, 30, 54, 78], [6, 30, 56, 82], [6, 30, 58, 86], [6, 34, 62, 90]],
];
/** The width and height of a module, in pixels. */
const MODULE = 3;

/** Encodes a string as a QR code, in an SVG document with a white border. */
export function qrCode(text: string): string {
  const dark = modulesOf(text);
  const size = (dark.length + 8) * MODULE;
  const rows = dark.flatMap((row, y) =>
    row.flatMap((isDark, x) =>
      isDark ? [`<rect x="${(x + 4) * MODULE}" y="${(y + 4) * MODULE}" ${SQUARE}/>`] : []
    )
  );
  return `<?xml version="1.0"?>
<svg width="${size}" height="${size}" xmlns="http://www.w3.org/2000/svg">
<rect width="${size}" height="${size}" style="fill:white;stroke:none"/>
${rows.join("\n")}
</svg>
`;
}
const SQUARE = `width="${MODULE}" height="${MODULE}" style="fill:black;stroke:none"`;

/**
 * The modules of a QR code, row by row; true means dark. @throws RangeError if the string is too
 * long.
 */
export function modulesOf(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text);
  const version = CORRECTION.findIndex((_, at) => bytes.length <= capacityOf(at + 1)) + 1;
  if (version === 0) throw new RangeError("The text is too long for a QR code");
  const code = new Code(version);
  code.fill(blocksOf(bytes, version));
  return code.dark;
}

/** The number of bits for data and error correction. */
function bitsOf(version: number): number {
  const aligned = ALIGNED[version - 1].length;
  const patterns = aligned === 0 ? 0 : aligned * aligned - 3;
  // An alignment pattern on a timing line covers five of the line's modules.
  const onTiming = aligned === 0 ? 0 : (aligned - 2) * 2;
  const size = version * 4 + 17;
  const fixed = 192 + (size - 16) * 2 + patterns * 25 - onTiming * 5 + 31 +
    (version >= 7 ? 36 : 0);
  return size * size - fixed;
}

function codewordsOf(version: number): number {
  const correction = CORRECTION[version - 1] * BLOCKS[version - 1];
  return Math.floor(bitsOf(version) / 8) - correction;
}

function capacityOf(version: number): number {
  return codewordsOf(version) - (version < 10 ? 2 : 3);
}

/** The data with its error correction, in the order in which the QR code contains them. */
function blocksOf(bytes: Uint8Array, version: number): number[] {
  const bits = [0, 1, 0, 0, ...inBits(bytes.length, version < 10 ? 8 : 16)];
  for (const byte of bytes) bits.push(...inBits(byte, 8));
  const room = codewordsOf(version) * 8;
  bits.push(...Array(Math.min(4, room - bits.length)).fill(0));
  while (bits.length % 8 > 0) bits.push(0);
  for (let pad = 0xec; bits.length < room; pad ^= 0xec ^ 0x11) bits.push(...inBits(pad, 8));
  const data = Array.from({ length: room / 8 }, (_, at) => ofBits(bits.slice(at * 8, at * 8 + 8)));

  const count = BLOCKS[version - 1];
  const short = Math.floor(data.length / count);
  const longFrom = count - data.length % count;
  const blocks: number[][] = [];
  for (let at = 0, from = 0; at < count; at++) {
    const length = short + (at >= longFrom ? 1 : 0);
    blocks.push(data.slice(from, from += length));
  }
  const corrections = blocks.map((block) => correctionOf(block, CORRECTION[version - 1]));
  const interleaved = (parts: number[][], length: number) =>
    Array.from({ length }, (_, at) => parts.flatMap((part) => part.slice(at, at + 1))).flat();
  return [
    ...interleaved(blocks, short + 1),
    ...interleaved(corrections, CORRECTION[version - 1]),
  ];
}

function inBits(value: number, length: number): number[] {
  return Array.from({ length }, (_, at) => value >> length - 1 - at & 1);
}

function ofBits(bits: number[]): number {
  return bits.reduce((value, bit) => value << 1 | bit, 0);
}

/** The Reed-Solomon remainder of a block. */
function correctionOf(block: number[], length: number): number[] {
  let divisor = [1];
  for (let at = 0, root = 1; at < length; at++, root = times(root, 2)) {
    divisor = [...divisor, 0].map((value, i) => value ^ times(divisor[i - 1] ?? 0, root));
  }
  const rest: number[] = Array(length).fill(0);
  for (const byte of block) {
    const factor = byte ^ rest.shift()!;
    rest.push(0);
    divisor.slice(1).forEach((value, i) => rest[i] ^= times(value, factor));
  }
  return rest;
}

/** The product of two elements of the finite field with 256 elements. */
function times(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = product << 1 ^ (product >> 7) * 0x11d;
    product ^= (other >> bit & 1) * one;
  }
  return product;
}

/** The square of modules, with its fixed patterns drawn. */
class Code {
  readonly dark: boolean[][];
  private readonly isFixed: boolean[][];
  private readonly size: number;

  constructor(version: number) {
    this.size = version * 4 + 17;
    const square = () => Array.from({ length: this.size }, () => Array(this.size).fill(false));
    this.dark = square();
    this.isFixed = square();
    const end = this.size - 7;
    for (let at = 0; at < this.size; at++) {
      this.fix(6, at, at % 2 === 0);
      this.fix(at, 6, at % 2 === 0);
    }
    for (const [x, y] of [[3, 3], [end + 3, 3], [3, end + 3]]) this.rings(x, y, 4);
    const places = ALIGNED[version - 1];
    const last = places.length - 1;
    places.forEach((x, i) =>
      places.forEach((y, j) => {
        const isFinder = i === 0 && j === 0 || i === 0 && j === last || i === last && j === 0;
        if (!isFinder) this.rings(x, y, 2);
      })
    );
    this.format();
    if (version >= 7) this.version(version);
  }

  private fix(x: number, y: number, isDark: boolean) {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return;
    this.dark[y][x] = isDark;
    this.isFixed[y][x] = true;
  }

  /**
   * A square pattern of rings. In a finder pattern (reach 4), the second and fourth rings around
   * the centre are light. In an alignment pattern, the first ring is light.
   */
  private rings(x: number, y: number, reach: number) {
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        this.fix(x + dx, y + dy, reach === 4 ? ring !== 2 && ring !== 4 : ring !== 1);
      }
    }
  }

  /** Writes the format (level L, mask 0) twice. */
  private format() {
    const data = 0b01000;
    let rest = data;
    for (let at = 0; at < 10; at++) rest = rest << 1 ^ (rest >> 9) * 0x537;
    const bits = (data << 10 | rest) ^ 0x5412;
    const bit = (at: number) => (bits >> at & 1) === 1;
    for (let at = 0; at < 6; at++) this.fix(8, at, bit(at));
    this.fix(8, 7, bit(6));
    this.fix(8, 8, bit(7));
    this.fix(7, 8, bit(8));
    for (let at = 9; at < 15; at++) this.fix(14 - at, 8, bit(at));
    for (let at = 0; at < 8; at++) this.fix(this.size - 1 - at, 8, bit(at));
    for (let at = 8; at < 15; at++) this.fix(8, this.size - 15 + at, bit(at));
    this.fix(8, this.size - 8, true);
  }

  private version(version: number) {
    let rest = version;
    for (let at = 0; at < 12; at++) rest = rest << 1 ^ (rest >> 11) * 0x1f25;
    const bits = version << 12 | rest;
    for (let at = 0; at < 18; at++) {
      const [far, near] = [this.size - 11 + at % 3, Math.floor(at / 3)];
      this.fix(far, near, (bits >> at & 1) === 1);
      this.fix(near, far, (bits >> at & 1) === 1);
    }
  }

  /** Fills the free modules in zigzag order, and inverts every second module (mask 0). */
  fill(codewords: number[]) {
    const bits = codewords.flatMap((byte) => inBits(byte, 8));
    let next = 0;
    for (let right = this.size - 1; right > 0; right -= 2) {
      if (right === 6) right = 5;
      const isUpward = (right + 1 & 2) === 0;
      for (let step = 0; step < this.size; step++) {
        const y = isUpward ? this.size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.isFixed[y][x]) continue;
          this.dark[y][x] = (bits[next++] === 1) !== ((x + y) % 2 === 0);
        }
      }
    }
  }
}
