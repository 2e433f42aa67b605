// Modules that keep the stacks of a report, and of others of its group, from being named or complete: the reason, what
// would help, and the command that uploads it.
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import { Text } from '@mantine/core';
import { Notice } from '../../ui/PageLayout.tsx';
import { SymbolsCommand } from '../../ui/ShellCommand.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { TextWithCode } from '../../ui/TextWithCode.tsx';
import classes from './crashes.module.css';
import { formatStop, formatTitle, type WalkStops } from './describe-stops.ts';
import type { Crash } from './use-crash.ts';

type MissingGameSymbolsProps = {
  slug: string;
  crash: Crash;
  /** Modules of the game without symbols on the stacks of the report. */
  modules: CrashStack['modules'];
  stops: WalkStops;
};

type Gap = { key: string; name: string; id: string; own: boolean; texts: readonly string[] };

export function MissingGameSymbols({ slug, crash, modules, stops }: MissingGameSymbolsProps) {
  // A stack that came without a dump has no modules, only source maps or mappings.
  const hasMappings = modules.length === 0 && stops.modules.length === 0;
  const gaps = hasMappings ? crash.missing_symbols.map(gapOfMapping) : gapsOf(crash, modules, stops);
  return (
    <Notice
      tone="unsure"
      title={hasMappings ? 'Source maps or mappings are missing' : formatTitle(gaps.length, stops.modules.length)}
    >
      <ul className={classes.notes}>
        {gaps.map(({ key, name, id, texts }) => (
          <li key={key}>
            <span className={classes.code}>
              {name} {id}
            </span>
            {texts.map((text) => (
              <div key={text}>
                <TextWithCode text={text} />
              </div>
            ))}
          </li>
        ))}
      </ul>
      {(hasMappings || gaps.some(({ id, own }) => id !== '' && own)) && (
        <>
          <Text size="sm">
            Upload the folder of your build, with its{' '}
            <DocLink page="symbols" size="sm">
              {hasMappings ? 'scripts and source maps, or mappings' : 'programs and debug files'}
            </DocLink>
            :
          </Text>
          <SymbolsCommand slug={slug} buildId={crash.build_id} />
          <Text size="sm">
            After the upload, this report and all others without these files are updated automatically.
          </Text>
        </>
      )}
    </Notice>
  );
}

function gapOfMapping({ module, debug_id: id, detail }: Crash['missing_symbols'][number]): Gap {
  return { key: `${module}/${id}`, name: module, id, own: true, texts: [detail] };
}

/** Each module once: what stops walks says more than that its symbols are missing. */
function gapsOf(crash: Crash, modules: CrashStack['modules'], stops: WalkStops): readonly Gap[] {
  const details = new Map(
    crash.missing_symbols.map(({ module, debug_id, detail }) => [`${module}/${debug_id}`, detail]),
  );
  const gaps = new Map<string, Gap>();
  for (const stop of stops.modules) {
    const { module, version, debug_file: file, debug_id: id, own, help } = stop;
    const key = `${file}/${id}`;
    const name = version === null ? module : `${module} ${version}`;
    gaps.set(key, { key, name, id, own, texts: [formatStop(stop, stops.reports), help] });
  }
  for (const { debug_file: file, debug_id: id, base } of modules) {
    const key = `${file}/${id}`;
    if (gaps.has(key)) continue;
    const text = id === '' ? NO_ID : (details.get(key) ?? ARRIVED);
    gaps.set(id === '' ? base : key, { key: id === '' ? base : key, name: file, id, own: true, texts: [text] });
  }
  return [...gaps.values()];
}

const ARRIVED = 'Its symbols have arrived. The dump is queued to be processed again.';
const NO_ID =
  'It was built without a debug ID, so no symbols can be found for it. Link it with `-Wl,--build-id` (GCC, Clang) or `/DEBUG` (Visual Studio).';
