// A small web game that is really bundled and minified, with its source map and the stack of its error in V8's words.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';

const MAIN = `import { Player } from './player.ts';

export function startLevel(name: string): void {
  const player = new Player(name);
  const onTick = () => {
    player.takeDamage(3);
  };
  [1].forEach(onTick);
}
startLevel('garage');
`;
const PLAYER = `export class Player {
  readonly #name: string;
  constructor(name: string) {
    this.#name = name;
  }
  takeDamage(amount: number): void {
    const explodeLoudly = (cause: string): never => {
      throw new RangeError(\`\${this.#name} lost \${amount}: \${cause}\`);
    };
    explodeLoudly('lava');
  }
}
`;

export type MinifiedGame = {
  readonly script: string;
  readonly map: string;
  /** The lines of the stack, for a page that loads the script from `url`. */
  stackAt(url: string): string;
  /** The frames as Sentry's SDK sends them: the outermost first. */
  framesAt(url: string): object[];
};

/** Each salt gives another script. */
export async function buildMinifiedGame(salt = 'a'): Promise<MinifiedGame> {
  const folder = await mkdtemp(join(tmpdir(), 'minified-game-'));
  try {
    await writeFile(join(folder, 'main.ts'), `${MAIN}console.log(${JSON.stringify(salt)});\n`);
    await writeFile(join(folder, 'player.ts'), PLAYER);
    const build = await rolldown({ input: join(folder, 'main.ts') });
    const names = { dir: join(folder, 'dist'), entryFileNames: 'game.mjs' };
    await build.write({ ...names, format: 'esm', minify: true, sourcemap: true });
    const path = join(folder, 'dist/game.mjs');
    const script = (await readFile(path, 'utf8')).replace('game.mjs.map', 'game.js.map');
    const map = await readFile(`${path}.map`, 'utf8');
    const failure = await promisify(execFile)(process.execPath, [path]).catch((error: { stderr: string }) => error);
    const stack = /^(RangeError: .*\n(?: +at .*\n)+)/m.exec(String(failure.stderr))![1]!;
    const lines = stack.split('\n').filter((line) => !line.includes('node:internal'));
    const stackAt = (url: string) => lines.join('\n').replaceAll(/file:\/\/[^\s)]*game\.mjs/g, url);
    return { script, map, stackAt, framesAt: (url) => framesOf(stackAt(url), url) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function framesOf(stack: string, url: string): object[] {
  return [...stack.matchAll(/at (?:(?:new )?(\S+) \()?\S*?:(\d+):(\d+)\)?$/gm)]
    .map(([, name, line, column]) => ({
      function: name ?? '?',
      filename: url,
      abs_path: url,
      lineno: Number(line),
      colno: Number(column),
      in_app: true,
    }))
    .reverse();
}
