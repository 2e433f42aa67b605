// The record of a file: who brought it, how and when, what its scans said, and every entry with its checksum.
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getProvenance } from '@chauffeur/contract/operations/store';
import { sayPlatform } from '@chauffeur/contract/platform-words';
import { sayBytes } from '@chauffeur/contract/sizes';
import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTitle } from '../../frame/page-title.ts';
import { UnknownPage } from '../../frame/UnknownPage.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { sayExactNumber } from '../../ui/say.ts';
import { Time } from '../../ui/Time.tsx';
import { sayOrigin } from './badge.ts';
import { FileEntries } from './FileEntries.tsx';
import classes from './FilePage.module.css';
import { ScanHistory } from './ScanHistory.tsx';
import { gameQuery, provenanceQuery } from './store-queries.ts';

type Provenance = OutputOf<typeof getProvenance>;

const route = getRouteApi('/g/$uid/files/$file_uid');

export function FilePage() {
  const { uid, file_uid } = route.useParams();
  const { data: file, error, refetch } = useQuery(provenanceQuery(uid, file_uid));
  const { data: game } = useQuery(gameQuery(uid));
  useTitle(file === undefined ? undefined : `Record of ${file.filename}`);
  if (error instanceof ApiError && [4040, 4002].includes(error.code)) return <UnknownPage />;
  if (error instanceof ApiError && error.code === 4074) return <NoLongerOffered uid={uid} />;
  if (error !== null) return <Problem error={error} again={() => void refetch()} />;
  return (
    <Stack gap="xl">
      <header className={classes.head}>
        <SiteLink to="/g/$uid" params={{ uid }} size="sm">
          {game?.name ?? 'Back to the game'}
        </SiteLink>
        <Title order={1} size="h2">
          {file?.filename ?? 'Record of a file'}
        </Title>
        <Text c="dimmed" size="sm">
          Where this download came from, and what was found in it.
        </Text>
      </header>
      {file === undefined ? <Skeleton h={320} aria-label="Loading the record" /> : <FileRecord file={file} />}
    </Stack>
  );
}

function FileRecord({ file }: { file: Provenance }) {
  return (
    <>
      <div className={classes.columns}>
        <section aria-labelledby="origin">
          <Title order={2} size="h4" mb="sm" id="origin">
            Origin
          </Title>
          <Facts file={file} />
        </section>
        <section aria-labelledby="scans">
          <Title order={2} size="h4" mb="sm" id="scans">
            Scans
          </Title>
          <ScanHistory events={file.scan.history} />
        </section>
      </div>
      <FileEntries entries={file.entries} />
    </>
  );
}

function Facts({ file }: { file: Provenance }) {
  return (
    <dl className={classes.facts}>
      <dt>How</dt>
      <dd>{sayOrigin(file.origin)}</dd>
      <dt>When</dt>
      <dd>
        <Time at={file.uploaded_at} />
      </dd>
      <dt>Build</dt>
      <dd>
        {file.version} for {sayPlatform(file)}, channel {file.channel}
      </dd>
      <dt>Build id</dt>
      <dd>
        <CopyText text={file.build_id} what="build id" />
      </dd>
      <dt>Size</dt>
      <dd>
        {sayBytes(file.size)} ({sayExactNumber(file.size)} bytes)
      </dd>
      <dt>SHA-256</dt>
      <dd>
        <CopyText text={file.checksum} what="checksum" />
      </dd>
    </dl>
  );
}

function NoLongerOffered({ uid }: { uid: string }) {
  useTitle('Not offered to you');
  return (
    <Stack gap="sm" py="xl">
      <Title order={1} size="h2">
        This file is not offered to you
      </Title>
      <Text>A newer one may have taken its place, or it is on a channel that you do not follow.</Text>
      <SiteLink to="/g/$uid" params={{ uid }}>
        See what the game offers now
      </SiteLink>
    </Stack>
  );
}
