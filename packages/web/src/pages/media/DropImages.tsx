// Lets people choose images in a file dialog or drop them.
import { Button, FileButton, Text } from '@mantine/core';
import { useState } from 'react';
import classes from './ImagesPage.module.css';

type DropImagesProps = { label: string; isMultiple?: boolean; isBusy: boolean; onFiles: (files: File[]) => void };

const ACCEPTED = 'image/png,image/jpeg,image/gif,image/webp';

export function DropImages({ label, isMultiple = false, isBusy, onFiles }: DropImagesProps) {
  const [isOver, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside is the accessible way to do the same
    <div
      className={classes.drop}
      data-over={isOver}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (!isBusy && event.dataTransfer.files.length > 0) onFiles([...event.dataTransfer.files]);
      }}
    >
      <FileButton
        accept={ACCEPTED}
        multiple={isMultiple}
        onChange={(chosen: File | File[] | null) => {
          const files = chosen === null ? [] : [chosen].flat();
          if (files.length > 0) onFiles(files);
        }}
      >
        {(props) => (
          <Button {...props} size="xs" variant="default" loading={isBusy}>
            {label}
          </Button>
        )}
      </FileButton>
      <Text size="sm" c="dimmed">
        {isMultiple ? 'or drop images here' : 'or drop an image here'}
      </Text>
    </div>
  );
}
