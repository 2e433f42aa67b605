// Draws images for the games in tests and documentation: hills at night, in many variants.
import sharp from 'sharp';

const PALETTES = [
  { sky: ['#1d2b4f', '#f2a65a'], hills: ['#2f3e63', '#22304f', '#141d33'] },
  { sky: ['#0f3b3a', '#e7d8a1'], hills: ['#2a5a50', '#1d463f', '#10302c'] },
  { sky: ['#43203f', '#f08a8a'], hills: ['#5a2f55', '#432341', '#2a142a'] },
  { sky: ['#16324a', '#b9dbe8'], hills: ['#2c5673', '#1f4159', '#132b3d'] },
] as const;

export type Size = { readonly width: number; readonly height: number };

/** Draws a landscape. Each `no` has a different one. */
export function drawScene(no: number, { width, height }: Size): Promise<Buffer> {
  const { sky, hills } = PALETTES[no % PALETTES.length]!;
  const moon = `<circle cx="${width * (0.2 + 0.15 * (no % 5))}" cy="${height * 0.3}" r="${height * 0.09}" fill="${sky[1]}" opacity="0.9"/>`;
  const ridges = hills.map(
    (colour, depth) => `<path d="${drawRidge(no * 7 + depth, depth, { width, height })}" fill="${colour}"/>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${sky[0]}"/><stop offset="1" stop-color="${sky[1]}"/></linearGradient></defs>
    <rect width="${width}" height="${height}" fill="url(#sky)"/>${moon}${ridges.join('')}</svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 82 }).toBuffer();
}

/** The outline of a row of hills from the left to the right edge, closed below the image. */
function drawRidge(seed: number, depth: number, { width, height }: Size): string {
  const points = Array.from({ length: 33 }, (_, index) => {
    const along = index / 32;
    const swell = Math.sin(along * (5 + depth * 3) + seed) + 0.5 * Math.sin(along * (13 + depth * 5) + seed * 1.7);
    return `${(along * width).toFixed(0)} ${(height * (0.6 + depth * 0.13 + swell * 0.05)).toFixed(0)}`;
  });
  return `M0 ${height} L${points.join(' L')} L${width} ${height} Z`;
}
