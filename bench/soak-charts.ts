// Draws line charts over time as one SVG picture, readable on light and dark pages.

export type Chart = {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly { readonly name: string; readonly points: readonly (readonly [number, number])[] }[];
};

const [WIDTH, HEIGHT, COLUMNS] = [420, 220, 2];
const PLOT = { left: 52, right: 12, top: 48, bottom: 30 } as const;
const COLOURS = ['#2f6fde', '#d9622b', '#2e9e5b', '#9a4fd0'];

/** Each chart starts at 0 on both axes; the first value of a point is its minute. */
export function drawCharts(charts: readonly Chart[]): string {
  const rows = Math.ceil(charts.length / COLUMNS);
  const drawn = charts.map(
    (chart, no) =>
      `<g transform="translate(${(no % COLUMNS) * WIDTH} ${Math.floor(no / COLUMNS) * HEIGHT})">${drawChart(chart)}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH * COLUMNS} ${HEIGHT * rows}" font-family="sans-serif" font-size="12">
<title>Response times and resources during the soak test</title>
<style>text { fill: #444 } .axis { stroke: #999 } @media (prefers-color-scheme: dark) { text { fill: #ccc } }</style>
${drawn.join('\n')}
</svg>
`;
}

function drawChart({ title, unit, lines }: Chart): string {
  const points = lines.flatMap((line) => line.points);
  const maxX = Math.max(...points.map(([x]) => x));
  const maxY = niceMaximum(Math.max(...points.map(([, y]) => y)));
  const x = (value: number) => PLOT.left + (value / maxX) * (WIDTH - PLOT.left - PLOT.right);
  const y = (value: number) => HEIGHT - PLOT.bottom - (value / maxY) * (HEIGHT - PLOT.top - PLOT.bottom);
  const bottom = HEIGHT - PLOT.bottom;
  return [
    `<text x="${PLOT.left}" y="18" font-weight="bold">${title}</text>`,
    ...lines.map(
      ({ name }, no) =>
        `<text x="${PLOT.left + no * 88}" y="36" style="fill: ${COLOURS[no]}">${lines.length > 1 ? name : ''}</text>`,
    ),
    `<path class="axis" fill="none" d="M${PLOT.left} ${PLOT.top}V${bottom}H${WIDTH - PLOT.right}"/>`,
    `<text x="${PLOT.left - 6}" y="${PLOT.top + 4}" text-anchor="end">${maxY}</text>`,
    `<text x="${PLOT.left - 6}" y="${PLOT.top + 20}" text-anchor="end">${unit}</text>`,
    `<text x="${PLOT.left - 6}" y="${bottom}" text-anchor="end">0</text>`,
    `<text x="${WIDTH - PLOT.right}" y="${HEIGHT - 10}" text-anchor="end">${Math.round(maxX)} min</text>`,
    ...lines.map(
      (line, no) =>
        `<polyline fill="none" stroke="${COLOURS[no]}" stroke-width="1.5" points="${line.points
          .map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`)
          .join(' ')}"/>`,
    ),
  ].join('\n');
}

/** The next number of the form 1, 2 or 5 times a power of ten. */
function niceMaximum(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= value)!;
}
