// The screenshots in their order, which is changed by dragging, or by the arrows of each.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listGameMedia } from '@chauffeur/contract/operations/media';
import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import classes from './ImagesPage.module.css';
import { moved } from './image-facts.ts';

type Image = OutputOf<typeof listGameMedia>['gallery'][number];

type GalleryProps = {
  images: readonly Image[];
  busy: boolean;
  onOrder: (uids: string[]) => void;
  onDelete: (image: Image) => void;
};

export function Gallery({ images, busy, onOrder, onDelete }: GalleryProps) {
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const [doomed, setDoomed] = useState<Image | null>(null);
  const uids = images.map(({ uid }) => uid);
  const move = (from: number, to: number) => onOrder(moved(uids, from, to));
  const end = () => {
    setDragged(null);
    setOver(null);
  };
  return (
    <>
      <ol className={classes.gallery}>
        {images.map((image, index) => (
          <li
            key={image.uid}
            className={classes.shot}
            data-over={over === index && dragged !== index}
            draggable={!busy}
            onDragStart={() => setDragged(index)}
            onDragEnd={end}
            onDragOver={(event) => {
              if (dragged === null) return;
              event.preventDefault();
              setOver(index);
            }}
            onDrop={(event) => {
              if (dragged === null) return;
              event.preventDefault();
              if (dragged !== index) move(dragged, index);
              end();
            }}
          >
            <Shot
              image={image}
              index={index}
              isLast={index === images.length - 1}
              busy={busy}
              onMove={move}
              onDelete={() => setDoomed(image)}
            />
          </li>
        ))}
      </ol>
      {doomed !== null && (
        <DeleteImage
          image={doomed}
          onClose={() => setDoomed(null)}
          onDelete={() => {
            setDoomed(null);
            onDelete(doomed);
          }}
        />
      )}
    </>
  );
}

type ShotProps = {
  image: Image;
  index: number;
  isLast: boolean;
  busy: boolean;
  onMove: (from: number, to: number) => void;
  onDelete: () => void;
};

function Shot({ image, index, isLast, busy, onMove, onDelete }: ShotProps) {
  return (
    <>
      <img
        className={classes.image}
        src={image.url}
        alt={`Screenshot ${index + 1}: ${image.filename}`}
        draggable={false}
      />
      <Group gap={4} mt={4} wrap="nowrap">
        <Text size="sm" truncate flex={1} title={image.filename}>
          {index + 1}. {image.filename}
        </Text>
        <Arrow index={index} to={index - 1} label="earlier" busy={busy || index === 0} onMove={onMove} />
        <Arrow index={index} to={index + 1} label="later" busy={busy || isLast} onMove={onMove} />
        <Button
          size="compact-xs"
          variant="default"
          disabled={busy}
          aria-label={`Delete screenshot ${index + 1}`}
          onClick={onDelete}
        >
          Delete
        </Button>
      </Group>
    </>
  );
}

type DeleteImageProps = { image: Image; onClose: () => void; onDelete: () => void };

function DeleteImage({ image, onClose, onDelete }: DeleteImageProps) {
  return (
    <ConfirmDialog title="Delete this screenshot?" does="Delete it" onConfirm={onDelete} onClose={onClose}>
      <Text size="sm">
        Players see {image.filename} no longer, and it is not kept here: to have it back, upload it again.
      </Text>
    </ConfirmDialog>
  );
}

type ArrowProps = {
  index: number;
  to: number;
  label: 'earlier' | 'later';
  busy: boolean;
  onMove: (from: number, to: number) => void;
};

function Arrow({ index, to, label, busy, onMove }: ArrowProps) {
  return (
    <ActionIcon
      variant="default"
      size="sm"
      disabled={busy}
      aria-label={`Move screenshot ${index + 1} ${label}`}
      onClick={() => onMove(index, to)}
    >
      {label === 'earlier' ? '‹' : '›'}
    </ActionIcon>
  );
}
