// Modules on the stacks that have no names, why, and the command that uploads what they lack.
import { Text } from '@mantine/core';
import { CopyText } from '../../ui/CopyText.tsx';
import { Notice } from '../../ui/Notice.tsx';
import classes from './crashes.module.css';
import { Marked } from './Marked.tsx';
import type { CrashStack } from './stack-lines.ts';
import type { Crash } from './use-crash.ts';

export function MissingSymbols({ crash, modules }: { crash: Crash; modules: CrashStack['modules'] }) {
  const lacking = modules.filter(({ symbols }) => symbols === 'missing' || symbols === 'corrupt');
  const own = lacking.filter((module) => module.own);
  const others = lacking.filter((module) => !module.own);
  const why = new Map(crash.missing_symbols.map(({ module, debug_id, detail }) => [`${module}/${debug_id}`, detail]));
  return (
    <>
      {own.length > 0 && (
        <Notice
          tone="unsure"
          title={
            own.length === 1
              ? 'One module of the game has no symbols'
              : `${own.length} modules of the game have no symbols`
          }
        >
          <ul className={classes.notes}>
            {own.map(({ debug_file: file, debug_id: id, base }) => (
              <li key={base}>
                <span className={classes.code}>
                  {file} {id}
                </span>
                <br />
                <Marked
                  text={why.get(`${file}/${id}`) ?? 'Its symbols are there now; the dump is about to be read again.'}
                />
              </li>
            ))}
          </ul>
          <CopyText
            text={`chauffeur symbols --build-id ${crash.build_id} symbols`}
            what="command that uploads symbols"
            whole
          />
          <Text size="sm">
            The stack gets its names by itself once they are there, here and in all reports that lacked them.
          </Text>
        </Notice>
      )}
      {others.length > 0 && (
        <Text size="sm" c="dimmed">
          {[...new Set(others.map(({ name }) => name))].join(', ')} {others.length === 1 ? 'belongs' : 'belong'} to the
          player’s system and {others.length === 1 ? 'has' : 'have'} no symbols here.
        </Text>
      )}
    </>
  );
}
