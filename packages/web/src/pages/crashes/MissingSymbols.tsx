// Modules on the stacks that have no symbols, the reason, and the command that uploads them.
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import { Text } from '@mantine/core';
import { Suspense } from 'react';
import { lazyPart } from '../../frame/load-code.ts';
import { DocLink } from '../../ui/DocLink.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { useGame } from '../games/use-game.ts';
import classes from './crashes.module.css';
import { TextWithCode } from './TextWithCode.tsx';
import type { Crash } from './use-crash.ts';

/** Loaded when symbols are missing. */
const SymbolsCommand = lazyPart(() => import('../../ui/SymbolsCommand.tsx'), 'SymbolsCommand');

export function MissingSymbols({ crash, modules }: { crash: Crash; modules: CrashStack['modules'] }) {
  const { slug } = useGame();
  const withoutSymbols = modules.filter(({ symbols }) => symbols === 'missing' || symbols === 'corrupt');
  const ofGame = withoutSymbols.filter((module) => module.own);
  const ofSystem = new Set(withoutSymbols.filter((module) => !module.own).map(({ name }) => name));
  const details = new Map(
    crash.missing_symbols.map(({ module, debug_id, detail }) => [`${module}/${debug_id}`, detail]),
  );
  return (
    <>
      {ofGame.length > 0 && (
        <Notice tone="unsure" title={formatTitle(ofGame.length)}>
          <ul className={classes.notes}>
            {ofGame.map(({ debug_file: file, debug_id: id, base }) => (
              <li key={base}>
                <span className={classes.code}>
                  {file} {id}
                </span>
                <br />
                <TextWithCode text={id === '' ? NO_ID : (details.get(`${file}/${id}`) ?? ARRIVED)} />
              </li>
            ))}
          </ul>
          {ofGame.some(({ debug_id: id }) => id !== '') && (
            <>
              <Text size="sm">
                Create their files with{' '}
                <DocLink page="symbols" size="sm">
                  dump_syms
                </DocLink>
                , then upload the folder:
              </Text>
              <Suspense>
                <SymbolsCommand slug={slug} buildId={crash.build_id} />
              </Suspense>
              <Text size="sm">
                After the upload, this report and all others without these symbols are updated automatically.
              </Text>
            </>
          )}
        </Notice>
      )}
      {ofSystem.size > 0 && (
        <Text size="sm" c="dimmed">
          {`No symbols for libraries of the player's system: ${[...ofSystem].join(', ')}.`}
        </Text>
      )}
    </>
  );
}

const ARRIVED = 'Its symbols have arrived. The dump is queued to be processed again.';
const NO_ID =
  'It was built without a debug ID, so no symbols can be found for it. Link it with `-Wl,--build-id` (GCC, Clang) or `/DEBUG` (Visual Studio).';

function formatTitle(modules: number): string {
  return modules === 1 ? 'One module of your game has no symbols' : `${modules} modules of your game have no symbols`;
}
