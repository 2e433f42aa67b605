// A channel on one platform: what it offers, and the ways to change that: another build, another expiry, or back.
import { sayPromotion, sayRollback } from '@chauffeur/contract/consequences';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { type PlatformWords, sayPlatform } from '@chauffeur/contract/platform-words';
import { Button, Divider, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { sayDay, sayExactTime } from '../../ui/say.ts';
import { Time } from '../../ui/Time.tsx';
import { useNow } from '../../ui/use-now.ts';
import type { ListedBuild } from '../builds/BuildRow.tsx';
import type { OpenGame } from '../games/use-game.ts';
import { Consequences } from './Consequences.tsx';
import { Expiry } from './Expiry.tsx';
import { ExpirySelect } from './ExpirySelect.tsx';
import type { Place } from './grid.ts';
import type { Moves } from './use-moves.ts';

type PlaceDialogProps = {
  game: OpenGame;
  channel: string;
  platform: PlatformWords;
  /** Null where it never pointed at anything. */
  place: Place | null;
  moves: Moves;
  onClose: () => void;
};

const CHOICES = 50;

export function PlaceDialog({ game, channel, platform, place, moves, onClose }: PlaceDialogProps) {
  const { os, arch } = platform as Pick<ListedBuild, 'os' | 'arch'>;
  const { data, error, isPending, refetch } = useQuery(
    ask(listGameBuilds, { uid: game.game_uid, os, arch, state: 'ready', page_size: CHOICES }),
  );
  return (
    <Dialog title={`${channel} on ${sayPlatform(platform)}`} onClose={onClose}>
      <Stack gap="md">
        {place !== null && <Now slug={game.slug} place={place} />}
        {error !== null && <Problem error={error} again={() => void refetch()} />}
        {moves.error !== null && <Problem error={moves.error} />}
        {isPending && <Text size="sm">Looking for builds…</Text>}
        {data?.builds.length === 0 && <EmptyState>No build for this platform is ready to be offered.</EmptyState>}
        {data !== undefined && data.builds.length > 0 && (
          <Offer game={game} channel={channel} place={place} builds={data.builds} moves={moves} onDone={onClose} />
        )}
        {place?.rollback_to != null && <GoBack game={game} place={place} moves={moves} onDone={onClose} />}
      </Stack>
    </Dialog>
  );
}

function Now({ slug, place }: { slug: string; place: Place }) {
  return (
    <Text size="sm">
      {place.expired ? 'Offered until it expired: ' : 'Offers '}
      <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId: place.build_id }} size="sm" underline="always">
        {place.version}
      </SiteLink>{' '}
      since <Time at={place.moved_at} />
      {place.expires_at !== null && !place.expired && (
        <>
          , <Expiry at={place.expires_at} />
        </>
      )}
      .
    </Text>
  );
}

type OfferProps = {
  game: OpenGame;
  channel: string;
  place: Place | null;
  builds: readonly ListedBuild[];
  moves: Moves;
  onDone: () => void;
};

function Offer({ game, channel, place, builds, moves, onDone }: OfferProps) {
  const [buildId, setBuildId] = useState(place?.build_id ?? '');
  const [hours, setHours] = useState(0);
  const now = useNow();
  const build = builds.find(({ build_id }) => build_id === buildId) ?? builds[0];
  if (build === undefined) return null;
  const current = place ?? undefined;
  const isSame = current?.build_id === build.build_id && !current.expired;
  const changes = sayPromotion({
    channel,
    build,
    current,
    hours,
    visibility: game.visibility,
    now,
    sayTime: sayExactTime,
  });
  const changesNothing = isSame && hours === 0 && current.expires_at === null;
  return (
    <form
      aria-label="Offer a build"
      onSubmit={(event) => {
        event.preventDefault();
        moves.mutate({ kind: 'promote', channel, build, hours }, { onSuccess: onDone });
      }}
    >
      <Stack gap="sm">
        <NativeSelect
          label="Build"
          data={builds.map(({ build_id, version, title, created_at }) => ({
            value: build_id,
            label: `${version}${title === version ? '' : ` · ${title}`} · ${sayDay(new Date(created_at))}`,
          }))}
          value={build.build_id}
          onChange={(event) => setBuildId(event.currentTarget.value)}
        />
        <ExpirySelect hours={hours} onChange={setHours} />
        {!changesNothing && <Consequences lines={changes} />}
        <Group justify="flex-end">
          <Button type="submit" loading={moves.isPending} disabled={changesNothing}>
            {isSame ? 'Change the expiry' : `Promote ${build.version}`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type GoBackProps = { game: OpenGame; place: Place; moves: Moves; onDone: () => void };

function GoBack({ game, place, moves, onDone }: GoBackProps) {
  if (place.rollback_to === null) return null;
  const to = place.rollback_to;
  return (
    <>
      <Divider />
      <Consequences lines={sayRollback({ place, to, visibility: game.visibility })} />
      <Group justify="flex-end">
        <Button
          variant="default"
          loading={moves.isPending}
          onClick={() => moves.mutate({ kind: 'rollback', place }, { onSuccess: onDone })}
        >
          Roll back to {to.version}
        </Button>
      </Group>
    </>
  );
}
