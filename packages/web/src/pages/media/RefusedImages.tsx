// The images that were not uploaded and why, with a preview of the crop for images with the wrong aspect ratio.
import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Notice } from '../../ui/Notice.tsx';
import type { Refused } from './check-image.ts';
import classes from './RefusedImages.module.css';

export function RefusedImages({ refused }: { refused: readonly Refused[] }) {
  return (
    <div role="alert">
      <Notice tone="bad" title="Nothing was uploaded">
        <ul className={classes.list}>
          {refused.map(({ file, problem, cut }) => (
            <li key={file.name}>
              {file.name}: {problem}
              {cut !== null && (
                <>
                  <Text size="sm">{cut.description}</Text>
                  <CutPicture file={file} cut={cut} />
                </>
              )}
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}

type CutPictureProps = { file: File; cut: NonNullable<Refused['cut']> };

/** The cropped parts are darkened, and a frame surrounds the rest. */
function CutPicture({ file, cut: { crop, description, width, height } }: CutPictureProps) {
  const url = useFileUrl(file);
  if (url === null) return null;
  return (
    <svg className={classes.picture} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={description}>
      <image href={url} width={width} height={height} />
      <path
        className={classes.cut}
        fillRule="evenodd"
        d={`M0 0H${width}V${height}H0ZM${crop.left} ${crop.top}h${crop.width}v${crop.height}h${-crop.width}Z`}
      />
      <rect className={classes.frame} x={crop.left} y={crop.top} width={crop.width} height={crop.height} />
    </svg>
  );
}

function useFileUrl(file: File): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const created = URL.createObjectURL(file);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [file]);
  return url;
}
