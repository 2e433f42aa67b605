// The screenshots in the order players see, changed by dragging or with arrow buttons.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listGameMedia } from '@chauffeur/contract/operations/media';
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import classes from './MediaPage.module.css';
import { MoveButton } from './MoveButton.tsx';
import { moved } from './moved.ts';

type Image = OutputOf<typeof listGameMedia>['gallery'][number];

type GalleryProps = {
  images: readonly Image[];
  isBusy: boolean;
  onOrder: (uids: string[]) => void;
  onDelete: (image: Image) => void;
};

export function Gallery({ images, isBusy, onOrder, onDelete }: GalleryProps) {
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const uids = images.map(({ uid }) => uid);
  const move = (from: number, to: number) => onOrder(moved(uids, from, to));
  const end = () => {
    setDragged(null);
    setOver(null);
  };
  return (
    <ol className={classes.gallery}>
      {images.map((image, index) => (
        <li
          key={image.uid}
          className={classes.shot}
          data-over={over === index && dragged !== index}
          draggable={!isBusy}
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
            isBusy={isBusy}
            onMove={move}
            onDelete={() => onDelete(image)}
          />
        </li>
      ))}
    </ol>
  );
}

type ShotProps = {
  image: Image;
  index: number;
  isLast: boolean;
  isBusy: boolean;
  onMove: (from: number, to: number) => void;
  onDelete: () => void;
};

function Shot({ image, index, isLast, isBusy, onMove, onDelete }: ShotProps) {
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
        <MoveButton
          name={`screenshot ${index + 1}`}
          direction="earlier"
          isDisabled={isBusy || index === 0}
          onMove={() => onMove(index, index - 1)}
        />
        <MoveButton
          name={`screenshot ${index + 1}`}
          direction="later"
          isDisabled={isBusy || isLast}
          onMove={() => onMove(index, index + 1)}
        />
        <Button
          size="compact-xs"
          variant="default"
          disabled={isBusy}
          aria-label={`Delete screenshot ${index + 1}`}
          onClick={onDelete}
        >
          Delete
        </Button>
      </Group>
    </>
  );
}
