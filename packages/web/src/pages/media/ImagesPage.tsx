// The store images of a game: its cover, its thumbnail, and the gallery in the order that players see.
import { LIMITS } from '@chauffeur/contract/limits';
import { listGameMedia } from '@chauffeur/contract/operations/media';
import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useGame } from '../games/use-game.ts';
import { DropImages } from './DropImages.tsx';
import { Gallery } from './Gallery.tsx';
import classes from './ImagesPage.module.css';
import { RefusedImages } from './RefusedImages.tsx';
import { useImages } from './use-images.ts';

const SINGLES = [
  { kind: 'cover', title: 'Cover', says: 'Wide, on top of the game’s page. At least 1024×576.' },
  { kind: 'thumbnail', title: 'Thumbnail', says: 'On shelves and in search. At least 960×540.' },
] as const;

export function ImagesPage() {
  const game = useGame();
  const { data, error, isPending, refetch } = useQuery(ask(listGameMedia, { uid: game.game_uid }));
  const images = useImages(game.game_uid);
  return (
    <Stack gap="lg">
      <div>
        <PageHead title="Images" tab={`Images · ${game.name}`} />
        <div role="status">{images.said !== null && <Text size="sm">{images.said}</Text>}</div>
      </div>
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {images.error !== null && <Problem error={images.error} />}
      {images.refused.length > 0 && <RefusedImages refused={images.refused} />}
      {isPending && <Skeleton h={400} />}
      {data !== undefined && (
        <>
          <div className={classes.singles}>
            {SINGLES.map(({ kind, title, says }) => (
              <Stack key={kind} gap="xs" component="section" aria-label={title}>
                <Title order={2} size="h4">
                  {title}
                </Title>
                {data[kind] !== null && (
                  <img className={classes.image} src={data[kind].url} alt={`${title} of ${game.name}`} />
                )}
                <Text size="sm" c="dimmed">
                  {says} About 16:9.
                </Text>
                <DropImages
                  label={data[kind] === null ? `Upload the ${kind}` : `Replace the ${kind}`}
                  busy={images.isPending}
                  onFiles={(files) => images.add(kind, files.slice(0, 1))}
                />
              </Stack>
            ))}
          </div>
          <Stack gap="xs" component="section" aria-label="Gallery">
            <Title order={2} size="h4">
              Gallery
            </Title>
            <Text size="sm" c="dimmed">
              {data.gallery.length} of {LIMITS.galleryImages} screenshots, at least 1280×720, in the order that players
              see. Drag one to move it, or use its arrows.
            </Text>
            <Gallery images={data.gallery} busy={images.isPending} onOrder={images.order} onDelete={images.remove} />
            <DropImages
              label="Add screenshots"
              many
              busy={images.isPending}
              onFiles={(files) => images.add('screenshot', files)}
            />
          </Stack>
        </>
      )}
    </Stack>
  );
}
