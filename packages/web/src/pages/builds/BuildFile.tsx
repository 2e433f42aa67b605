// A file of a build: its checksum, uploader and scan history.
import { formatBytes } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getGameBuild } from '@chauffeur/contract/operations/builds';
import { getPlay } from '@chauffeur/contract/operations/play';
import { Anchor, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { Bytes, Facts } from '../../ui/Facts.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { SCANS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import classes from './BuildFile.module.css';
import { formatUploader } from './build-columns.tsx';

export type BuildDetail = OutputOf<typeof getGameBuild>;
type File = BuildDetail['files'][number];

type BuildFileProps = {
  slug: string;
  file: File;
  isOpen: boolean;
  /** The uid of the game, if this is the file of a web build that is offered. */
  playedGame: string | undefined;
};

export function BuildFile({ slug, file, isOpen, playedGame }: BuildFileProps) {
  const { tone, label } = SCANS[file.status];
  const reused = file.reused.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <details className={classes.file} open={isOpen}>
      <summary>
        <Text span fw={600} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {file.filename}
        </Text>
        <StateBadge tone={tone}>{label}</StateBadge>
        <Text span size="sm" c="dimmed">
          <Bytes count={file.size} /> · <Time at={file.uploaded_at} />
        </Text>
      </summary>
      <div className={classes.body}>
        <Facts
          facts={[
            ['SHA-256', <CopyText key="sum" text={file.checksum} label="checksum" />],
            ['Uploaded with', formatUploader(file)],
            ...(reused > 0 ? [['Reused', `${formatBytes(reused)} from earlier files`] as const] : []),
            ['Scan', file.message],
          ]}
        />
        {/* Without a scanner, the state and its reason above say everything. */}
        {file.status !== 'unscanned' && <ScanHistory scans={file.scans} />}
        {playedGame !== undefined && <InBrowser gameUid={playedGame} fileUid={file.file_uid} />}
        <Anchor href={`/g/${slug}/files/${file.file_uid}`} size="sm">
          Provenance and contents
        </Anchor>
      </div>
    </details>
  );
}

function ScanHistory({ scans }: Pick<BuildFileProps['file'], 'scans'>) {
  return (
    <>
      <Text size="sm" c="dimmed" mt="xs">
        Scan history
      </Text>
      <ol className={classes.history}>
        {scans.map((scan) => (
          <li key={`${scan.at} ${scan.state}`}>
            <Group gap="xs">
              <StateBadge tone={SCANS[scan.state].tone}>{SCANS[scan.state].label}</StateBadge>
              <Text span size="sm">
                <Time at={scan.at} />
              </Text>
              {scan.engine !== null && (
                <Text span size="sm" c="dimmed">
                  {scan.engine}
                  {scan.signature_version !== null && ` · signatures ${scan.signature_version}`}
                </Text>
              )}
            </Group>
            {scan.detail !== null && <Text size="sm">{scan.detail}</Text>}
          </li>
        ))}
      </ol>
    </>
  );
}

/** How browsers run a web build, or why they can't. */
function InBrowser({ gameUid, fileUid }: { gameUid: string; fileUid: string }) {
  const { data: play, error } = useQuery(ask(getPlay, { uid: gameUid, file_uid: fileUid }));
  if (play === undefined && error === null) return null;
  const explanation = play?.keeps_saves
    ? 'In the browser, the game runs on its own origin, so saved games are kept.'
    : "In the browser, the game runs in a sandbox: progress isn't saved, and IndexedDB and shared workers don't work.";
  return (
    <Text size="sm" mb="xs">
      {error === null ? explanation : `In the browser: ${error.message}`}{' '}
      <DocLink page="play" size="sm">
        What works in the browser
      </DocLink>
    </Text>
  );
}
