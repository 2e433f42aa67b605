// Writes the commands of the guides for PowerShell and the Command Prompt, below those for bash, from which they are
// translated.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOC_GROUPS } from '@chauffeur/contract/docs';
import { translateCommands } from '@chauffeur/contract/shell';

const DOCS = join(import.meta.dirname, '../../docs');
/** The server doesn't run on Windows in production, and these pages are generated from something else. */
const WITHOUT: readonly string[] = ['api', 'config', 'errors', 'mcp-tools', 'changelog'];

/** The pages whose commands developers run on any OS. */
export const TRANSLATED_PAGES: readonly string[] = DOC_GROUPS.filter(({ name }) => name !== 'Operate')
  .flatMap(({ pages }) => pages.map(({ page }) => page))
  .filter((page) => !WITHOUT.includes(page));

/** A block of `sh`, with the translations that follow it. A block of `bash` is for Linux and macOS only. */
const BLOCK = /^( *)```sh\n([\s\S]*?)\n\1```\n(?:\n?\1```(?:powershell|bat)\n[\s\S]*?\n\1```\n)*/gm;

export async function writeShellVariants(page: string): Promise<string> {
  const text = await readFile(join(DOCS, `${page}.md`), 'utf8');
  return text.replaceAll(BLOCK, (_, indent: string, block: string) => translateBlock(page, indent, block));
}

/** Returns all blocks; only that for bash if the commands are the same in all shells. */
function translateBlock(page: string, indent: string, block: string): string {
  const commands = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
  const write = (language: string, text: string) =>
    `\`\`\`${language}\n${text}\n\`\`\``.replaceAll(/^(?=.)/gm, indent).concat('\n');
  try {
    const powershell = translateCommands(commands, 'powershell');
    const cmd = translateCommands(commands, 'cmd');
    const isSame = powershell === commands && cmd === commands;
    const variants = isSame ? [] : [write('powershell', powershell), write('bat', cmd)];
    return [write('sh', commands), ...variants].join('\n');
  } catch (error) {
    throw new Error(`docs/${page}.md: ${(error as Error).message} Use a block of bash for Linux and macOS only.`);
  }
}
