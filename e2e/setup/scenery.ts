// Draws images for the games in tests and documentation: hills at night, in many variants. They are drawn pixel by
// pixel, because a process that runs the server refuses to load SVG.
import sharp from 'sharp';

type Colour = readonly [red: number, green: number, blue: number];
type Palette = { readonly sky: readonly [top: Colour, bottom: Colour]; readonly hills: readonly Colour[] };

const PALETTES: readonly Palette[] = [
  paletteOf('#1d2b4f', '#f2a65a', '#2f3e63', '#22304f', '#141d33'),
  paletteOf('#0f3b3a', '#e7d8a1', '#2a5a50', '#1d463f', '#10302c'),
  paletteOf('#43203f', '#f08a8a', '#5a2f55', '#432341', '#2a142a'),
  paletteOf('#16324a', '#b9dbe8', '#2c5673', '#1f4159', '#132b3d'),
];

const MOONLIGHT = 0.9;

export type Size = { readonly width: number; readonly height: number };

/** Draws a landscape. Each `no` has a different one. */
export function drawScene(no: number, { width, height }: Size): Promise<Buffer> {
  const { sky, hills } = PALETTES[no % PALETTES.length]!;
  const moon = { x: width * (0.2 + 0.15 * (no % 5)), y: height * 0.3, radius: height * 0.09 };
  const ridges = hills.map((colour, depth) => {
    const tops = ridgeOf(no * 7 + depth, depth, { width, height });
    return { colour, tops, highest: Math.min(...tops) };
  });
  const pixels = new Uint8Array(width * height * 3);
  for (let y = 0, at = 0; y < height; y += 1) {
    const air = mix(sky[0], sky[1], y / height);
    const isMoonlit = Math.abs(y - moon.y) < moon.radius + 1;
    const inRow = ridges.filter(({ highest }) => y > highest - 1);
    for (let x = 0; x < width; x += 1, at += 3) {
      const inMoon = isMoonlit ? coverage(moon.radius - Math.hypot(x - moon.x, y - moon.y)) : 0;
      let colour = mix(air, sky[1], MOONLIGHT * inMoon);
      for (const ridge of inRow) colour = mix(colour, ridge.colour, coverage(y - ridge.tops[x]!));
      for (let channel = 0; channel < 3; channel += 1) pixels[at + channel] = colour[channel]!;
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 82 })
    .toBuffer();
}

/** How much of a pixel is inside a shape, from 0 to 1, by how far its centre is inside. */
function coverage(inside: number): number {
  return Math.min(Math.max(inside + 0.5, 0), 1);
}

function mix(below: Colour, above: Colour, share: number): Colour {
  if (share === 0) return below;
  if (share === 1) return above;
  const [red, green, blue] = below;
  return [red + (above[0] - red) * share, green + (above[1] - green) * share, blue + (above[2] - blue) * share];
}

/** The upper edge of a row of hills, for each column of pixels. */
function ridgeOf(seed: number, depth: number, { width, height }: Size): Float64Array {
  return Float64Array.from({ length: width }, (_, x) => {
    const along = x / width;
    const swell = Math.sin(along * (5 + depth * 3) + seed) + 0.5 * Math.sin(along * (13 + depth * 5) + seed * 1.7);
    return height * (0.6 + depth * 0.13 + swell * 0.05);
  });
}

function paletteOf(top: string, bottom: string, ...hills: readonly string[]): Palette {
  return { sky: [colourOf(top), colourOf(bottom)], hills: hills.map(colourOf) };
}

function colourOf(hex: string): Colour {
  const number = Number.parseInt(hex.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}
