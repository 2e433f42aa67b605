// The row types of statements, as the sources declare them.
import { type Type, TypeFlags } from 'typescript/unstable/sync';
import { Sources } from './sources.ts';

export type Kind = 'string' | 'number' | 'boolean' | 'Date' | 'bytes' | 'other' | `${string}[]`;

export type Field = {
  readonly name: string;
  /** The type as it is written, for messages. */
  readonly text: string;
  /** What the values can be, apart from null; empty for any value. */
  readonly kinds: readonly Kind[];
  readonly nullable: boolean;
  readonly optional: boolean;
};

/** The fields of a declared row; undefined if no row is declared, as of `sql` without a type. */
export function fieldsOf(sources: Sources, row: Type): readonly Field[] | undefined {
  const { checker } = sources;
  if (
    isAnything(row) ||
    row.isTypeParameter() ||
    ((row.flags & TypeFlags.Object) === 0 && !row.isIntersectionType() && !row.isUnionType())
  )
    return undefined;
  return checker.getPropertiesOfType(row).map((property) => {
    const type = checker.getTypeOfSymbol(property)!;
    const members = Sources.members(type);
    const isAny = members.some(isAnything);
    return {
      name: property.name,
      text: checker.typeToString(type),
      kinds: isAny
        ? []
        : [...new Set(members.filter((member) => !isNothing(member)).map((member) => kindOf(sources, member)))],
      nullable: isAny || members.some((member) => (member.flags & TypeFlags.Null) !== 0),
      optional: members.some((member) => (member.flags & TypeFlags.Undefined) !== 0),
    };
  });
}

function kindOf(sources: Sources, type: Type): Kind {
  const { flags } = type;
  if ((flags & (TypeFlags.StringLike | TypeFlags.TemplateLiteral | TypeFlags.StringMapping)) !== 0) return 'string';
  if ((flags & TypeFlags.NumberLike) !== 0) return 'number';
  if ((flags & TypeFlags.BooleanLike) !== 0) return 'boolean';
  if (type.isIntersectionType()) {
    const kinds = (type.getTypes() ?? []).map((member) => kindOf(sources, member));
    return kinds.find((kind) => kind !== 'other') ?? 'other';
  }
  const name = type.getSymbol()?.name;
  if (name === 'Date') return 'Date';
  if (name === 'Buffer' || name === 'Uint8Array') return 'bytes';
  if (sources.checker.isArrayType(type) && type.isTypeReference()) {
    const [element] = sources.checker.getTypeArguments(type);
    const kinds = element === undefined ? [] : Sources.members(element).filter((member) => !isNothing(member));
    const [kind = 'other', ...others] = new Set(
      kinds.map((member) => (isAnything(member) ? 'other' : kindOf(sources, member))),
    );
    return `${others.length === 0 ? kind : 'other'}[]`;
  }
  return 'other';
}

function isAnything(type: Type): boolean {
  return (type.flags & (TypeFlags.Any | TypeFlags.Unknown)) !== 0;
}

function isNothing(type: Type): boolean {
  return (type.flags & (TypeFlags.Null | TypeFlags.Undefined)) !== 0;
}
