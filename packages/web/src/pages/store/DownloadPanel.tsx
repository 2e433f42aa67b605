// The one download that is right for this machine, what is known of it, and the others behind it.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getPublicGame } from '@chauffeur/contract/operations/store';
import { sayOs } from '@chauffeur/contract/platform-words';
import { sayBytes } from '@chauffeur/contract/sizes';
import { Button, Stack, Text } from '@mantine/core';
import { sayExactNumber } from '../../ui/say.ts';
import { Time } from '../../ui/Time.tsx';
import { useNow } from '../../ui/use-now.ts';
import classes from './DownloadPanel.module.css';
import type { Choice, Machine } from './machine.ts';
import { sayPlatform } from './platforms.ts';
import { ScanLine } from './ScanLine.tsx';

export type Offer = OutputOf<typeof getPublicGame>['downloads'][number];

type DownloadPanelProps = {
  choice: Choice<Offer>;
  machine: Machine;
  slug: string;
  /** Whether there is a way to play without a download. */
  isPlayable: boolean;
};

export function DownloadPanel({ choice: { best, others, isSure }, machine, slug, isPlayable }: DownloadPanelProps) {
  if (best === null && others.length === 0) return <Text size="sm">There is nothing to download yet.</Text>;
  return (
    <Stack gap="xs">
      {best !== null && <BestDownload offer={best} slug={slug} />}
      {best === null && !isPlayable && (
        <Text size="sm">
          {machine.os === null
            ? 'Choose the download for your machine.'
            : `There is none for ${nameOf(machine, others)}.`}
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

/** The processor matters only where there is a download for the same system and another one. */
function nameOf({ os, arch }: Machine, others: readonly Offer[]): string {
  const isOther = arch !== null && others.some((offer) => offer.os === os);
  return isOther ? sayPlatform({ os: os ?? '', arch }) : sayOs(os ?? '');
}

function BestDownload({ offer, slug }: { offer: Offer; slug: string }) {
  return (
    <>
      <Button component="a" href={offer.download_url} size="lg" fullWidth>
        Download for {sayOs(offer.os)}
      </Button>
      <Text size="sm">
        Version {offer.version} · {sayPlatform(offer)} · <Size offer={offer} />
      </Text>
      {offer.expires_at !== null && (
        <Text size="sm">
          Its offer ends <Time at={offer.expires_at} />
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
      <a href={offer.download_url}>{sayPlatform(offer)}</a>
      <Text size="xs" c="dimmed">
        Version {offer.version} · <Size offer={offer} />
      </Text>
      <ScanLine offer={offer} slug={slug} now={now} />
    </li>
  );
}

function Size({ offer: { file } }: { offer: Offer }) {
  return <span title={`${sayExactNumber(file.size)} bytes`}>{sayBytes(file.size)}</span>;
}
