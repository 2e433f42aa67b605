// The texts in values of DWARF: in the value itself, or in sections of texts.
import { Cursor } from '../cursor.ts';
import { directForm, type Encoding, skipForm } from './abbreviations.ts';
import { FORM } from './constants.ts';
import type { DwarfFile } from './dwarf-file.ts';

/** Where the texts of a unit or a line program are. */
export type TextPlace = {
  readonly file: DwarfFile;
  readonly header: { readonly encoding: Encoding };
  /** Where the offsets of its texts begin, to which values refer by index. */
  readonly stringOffsetsBase: number;
};

/** A text; undefined for other forms, whose value is skipped, and for texts that are missing. */
export function readText(cursor: Cursor, form: number, place: TextPlace): string | undefined {
  const { file, header } = place;
  const { is64 } = header.encoding;
  switch (form) {
    case FORM.string:
      return cursor.text();
    case FORM.strp:
      return file.section('str').text(cursor.word(is64));
    case FORM.lineStrp:
      return file.section('line_str').text(cursor.word(is64));
    case FORM.strpSup:
    case FORM.gnuStrpAlt: {
      const at = cursor.word(is64);
      return file.supplementary?.section('str').text(at);
    }
    case FORM.strx:
    case FORM.gnuStrIndex:
      return textOf(cursor.uleb(), place);
    case FORM.strx1:
      return textOf(cursor.u8(), place);
    case FORM.strx2:
      return textOf(cursor.u16(), place);
    case FORM.strx3:
      return textOf(cursor.u24(), place);
    case FORM.strx4:
      return textOf(cursor.u32(), place);
    case FORM.indirect:
      return readText(cursor, directForm(cursor), place);
    default:
      skipForm(cursor, form, header.encoding);
      return undefined;
  }
}

function textOf(index: number, { file, header, stringOffsetsBase }: TextPlace): string | undefined {
  const { is64 } = header.encoding;
  const size = is64 ? 8 : 4;
  const offsets = file.section('str_offsets');
  const at = stringOffsetsBase + index * size;
  if (at + size > offsets.size) return undefined;
  return file.section('str').text(new Cursor(offsets.read(at, size), file.littleEndian).word(is64));
}
