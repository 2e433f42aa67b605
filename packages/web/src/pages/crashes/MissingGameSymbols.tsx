// Modules of a game on the stacks of a report that have no symbols, the reason, and the command that uploads them.
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import { Text } from '@mantine/core';
import { Notice } from '../../ui/PageLayout.tsx';
import { SymbolsCommand } from '../../ui/ShellCommand.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { TextWithCode } from '../../ui/TextWithCode.tsx';
import classes from './crashes.module.css';
import type { Crash } from './use-crash.ts';

type MissingGameSymbolsProps = { slug: string; crash: Crash; modules: CrashStack['modules'] };

export function MissingGameSymbols({ slug, crash, modules }: MissingGameSymbolsProps) {
  const details = new Map(
    crash.missing_symbols.map(({ module, debug_id, detail }) => [`${module}/${debug_id}`, detail]),
  );
  return (
    <Notice tone="unsure" title={formatTitle(modules.length)}>
      <ul className={classes.notes}>
        {modules.map(({ debug_file: file, debug_id: id, base }) => (
          <li key={base}>
            <span className={classes.code}>
              {file} {id}
            </span>
            <br />
            <TextWithCode text={id === '' ? NO_ID : (details.get(`${file}/${id}`) ?? ARRIVED)} />
          </li>
        ))}
      </ul>
      {modules.some(({ debug_id: id }) => id !== '') && (
        <>
          <Text size="sm">
            Upload the folder of your build, with its{' '}
            <DocLink page="symbols" size="sm">
              programs and debug files
            </DocLink>
            :
          </Text>
          <SymbolsCommand slug={slug} buildId={crash.build_id} />
          <Text size="sm">
            After the upload, this report and all others without these symbols are updated automatically.
          </Text>
        </>
      )}
    </Notice>
  );
}

const ARRIVED = 'Its symbols have arrived. The dump is queued to be processed again.';
const NO_ID =
  'It was built without a debug ID, so no symbols can be found for it. Link it with `-Wl,--build-id` (GCC, Clang) or `/DEBUG` (Visual Studio).';

function formatTitle(modules: number): string {
  return modules === 1 ? 'One module of your game has no symbols' : `${modules} modules of your game have no symbols`;
}
