// Checks spelling and flagged words (cspell), phrases that the project avoids, comments without a subject, and the
// length of lines in Markdown. Works offline.
//
//   npm run prose            checks every text that Git doesn't ignore
//   npm run prose -- PATH…   checks the files below these paths
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFragments } from './prose/fragments.ts';
import { findLongLines } from './prose/line-length.ts';
import { findPhrases } from './prose/phrases.ts';

const ROOT = join(import.meta.dirname, '..');
const TEXTS = ['*.ts', '*.tsx', '*.md', '*.sql', '*.css'];
/**
 * Never checked. The lists of phrases and their tests contain the phrases. Migrations cannot be reworded, because
 * databases record their checksums.
 */
const UNCHECKED = ['scripts/prose/', 'packages/server/migrations/'];

function listFiles(paths: readonly string[]): string[] {
  const patterns = paths.length > 0 ? paths : TEXTS;
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...patterns],
    { cwd: ROOT, encoding: 'utf8' },
  );
  const extensions = TEXTS.map((glob) => glob.slice(1));
  return listed
    .split('\0')
    .filter((path) => extensions.some((extension) => path.endsWith(extension)))
    .filter((path) => !UNCHECKED.some((prefix) => path.startsWith(prefix)))
    .filter((path) => existsSync(join(ROOT, path)));
}

/** Returns whether every file is free of the phrases and fragments; prints the place of each, and what to write. */
function checkPhrases(files: readonly string[]): boolean {
  let clean = true;
  for (const path of files) {
    const content = readFileSync(join(ROOT, path), 'utf8');
    const fragments = path.endsWith('.md') ? [] : findFragments(content, path.endsWith('.sql'));
    for (const { line, text, replacement } of [...findPhrases(content), ...fragments]) {
      process.stdout.write(`${path}:${line}  "${text}": write ${replacement}\n`);
      clean = false;
    }
  }
  return clean;
}

/** Returns whether no line of hand-written Markdown is too long; prints each that is. */
function checkLineLengths(files: readonly string[]): boolean {
  let clean = true;
  for (const path of files.filter((file) => file.endsWith('.md'))) {
    for (const { line, length } of findLongLines(readFileSync(join(ROOT, path), 'utf8'))) {
      process.stdout.write(`${path}:${line}  ${length} characters: wrap the line\n`);
      clean = false;
    }
  }
  return clean;
}

function checkSpelling(files: readonly string[]): boolean {
  const cspell = join(ROOT, 'node_modules/cspell/bin.mjs');
  const cache = ['--cache', '--cache-strategy', 'content', '--cache-location', 'node_modules/.cache/cspell'];
  const options = ['lint', '--no-progress', '--no-summary', ...cache, '--file-list', 'stdin'];
  const { status } = spawnSync(process.execPath, [cspell, ...options], {
    cwd: ROOT,
    input: files.join('\n'),
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  return status === 0;
}

const files = listFiles(process.argv.slice(2));
const phrases = checkPhrases(files);
const lengths = checkLineLengths(files);
const spelling = checkSpelling(files);
if (!phrases || !lengths || !spelling) process.exitCode = 1;
