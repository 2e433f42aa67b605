// The right download for this machine with its details, and the other downloads folded away.

import { formatBytes, formatNumber, formatOs } from '@chauffeur/contract/format';
import { Button, Stack, Text } from '@mantine/core';
import { formatDay, formatExactTime } from '../../ui/format.ts';
import { useNow } from '../../ui/use-now.ts';
import classes from './DownloadPanel.module.css';
import type { Choice, Machine } from './machine.ts';
import { formatFriendlyPlatform } from './platforms.ts';
import type { Offer } from './ScanLine.tsx';
import { ScanLine } from './ScanLine.tsx';

type DownloadPanelProps = {
  choice: Choice<Offer>;
  machine: Machine;
  slug: string;
  /** Whether the game can be played in the browser. */
  isPlayable: boolean;
};

export function DownloadPanel({ choice: { best, others, isSure }, machine, slug, isPlayable }: DownloadPanelProps) {
  if (best === null && others.length === 0) return <Text size="sm">No downloads yet.</Text>;
  return (
    <Stack gap="xs">
      {best !== null && <BestDownload offer={best} slug={slug} />}
      {best === null && !isPlayable && (
        <Text size="sm">
          {machine.os === null
            ? 'Choose a download for your machine.'
            : `Not available for ${formatMachine(machine, others)}.`}
        </Text>
      )}
      {others.length > 0 && (
        <details className={classes.others} open={!isSure && !(best === null && isPlayable)}>
          <summary>{best === null ? 'Downloads' : 'Other downloads'}</summary>
          <ul>
            {others.map((offer) => (
              <OtherDownload key={offer.file.file_uid} offer={offer} slug={slug} />
            ))}
          </ul>
        </details>
      )}
    </Stack>
  );
}

/** The processor is named only if there is a download for the same OS with another processor. */
function formatMachine({ os, arch }: Machine, others: readonly Offer[]): string {
  const hasOtherArch = arch !== null && others.some((offer) => offer.os === os);
  return hasOtherArch ? formatFriendlyPlatform({ os: os ?? '', arch }) : formatOs(os ?? '');
}

function BestDownload({ offer, slug }: { offer: Offer; slug: string }) {
  return (
    <>
      <Button component="a" href={offer.download_url} size="lg" fullWidth>
        Download for {formatOs(offer.os)}
      </Button>
      <Text size="sm">
        Version {offer.version} · {formatFriendlyPlatform(offer)} · <Size offer={offer} />
      </Text>
      {offer.expires_at !== null && (
        <Text size="sm">
          Available until <ExactDay at={offer.expires_at} />
        </Text>
      )}
      <ScanLine offer={offer} slug={slug} now={useNow()} />
    </>
  );
}

function OtherDownload({ offer, slug }: { offer: Offer; slug: string }) {
  const now = useNow();
  return (
    <li>
      <a href={offer.download_url}>{formatFriendlyPlatform(offer)}</a>
      <Text size="xs" c="dimmed">
        Version {offer.version} · <Size offer={offer} />
      </Text>
      <ScanLine offer={offer} slug={slug} now={now} />
    </li>
  );
}

function ExactDay({ at }: { at: string }) {
  const time = new Date(at);
  return (
    <time dateTime={at} title={formatExactTime(time)}>
      {formatDay(time)}
    </time>
  );
}

function Size({ offer: { file } }: { offer: Offer }) {
  return <span title={`${formatNumber(file.size)} bytes`}>{formatBytes(file.size)}</span>;
}
