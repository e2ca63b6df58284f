import { type Html, html } from '../html';
import { inline } from './markdown';
import { type Schema, nameOf } from './open-api-document';

/** The address of a named schema. */
export type LinkOf = (name: string) => string;

/** How many fields a list shows without being opened. */
const longList = 12;

/** A named value: a parameter, or a property of an object. */
export interface Field {
  name: string;
  schema: Schema | undefined;
  /** Where it stands, such as `query`. */
  location?: string | undefined;
  description: string | undefined;
  isRequired: boolean;
  isDeprecated: boolean;
}

/**
 * A list of fields; a long one can be closed, and is closed unless `isOpen`.
 * @param noun what the fields are
 */
export function fieldList(
  fields: readonly Field[],
  linkOf: LinkOf,
  { isOpen = true, noun = 'properties' }: { isOpen?: boolean; noun?: string } = {},
): Html {
  const list = html`<ul class="fields">
    ${fields.map((field) => fieldItem(field, linkOf))}
  </ul>`;
  if (fields.length <= longList) return list;
  const open = isOpen ? html` open` : '';
  return html`<details${open}><summary>${fields.length} ${noun}</summary>${list}</details>`;
}

function fieldItem({ name, schema, location, description, isRequired, isDeprecated }: Field, linkOf: LinkOf): Html {
  const text = description ?? schema?.description;
  const limits = schema ? limitsOf(schema) : [];
  return html`<li>
    <code>${name}</code> <span>${schema && typeOf(schema, linkOf)}${location && ` in ${location}`}</span>${
      isRequired && html` <strong>required</strong>`
    }${isDeprecated && html` <em>deprecated</em>`}${text && html`<div>${inline(text)}</div>`}${
      limits.length > 0 && html`<div>${limits.map((limit) => html`${limit} `)}</div>`
    }
  </li>`;
}

/** What is known of a schema: its description, its alternatives, and the fields of an object. */
export function schemaContent(schema: Schema, linkOf: LinkOf, isOpen = true): Html {
  const alternatives = schema.oneOf ?? schema.anyOf;
  const fields = propertiesOf(schema);
  return html`${schema.description && html`<p>${inline(schema.description)}</p>`}${
    alternatives &&
    html`<p>One of:</p>
      <ul>
        ${alternatives.map(
          (one) =>
            html`<li>
              ${typeOf(one, linkOf)}${propertiesOf(one).length > 0 && fieldList(propertiesOf(one), linkOf)}
            </li>`,
        )}
      </ul>`
  }${schema.allOf?.map((one) =>
    nameOf(one) === undefined ? schemaContent(one, linkOf) : html`<p>All of ${typeOf(one, linkOf)}.</p>`,
  )}${fields.length > 0 && fieldList(fields, linkOf, { isOpen })}${
    !alternatives && fields.length === 0 && html`<p>${typeOf(schema, linkOf)} ${limitsOf(schema)}</p>`
  }`;
}

/** The properties of an object, and those of the unnamed objects in it: `health_system.id`, `entry[].name`. */
function propertiesOf(schema: Schema, prefix = ''): Field[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = prefix + key;
    const field: Field = {
      name,
      schema: property,
      description: undefined,
      isRequired: schema.required?.includes(key) ?? false,
      isDeprecated: property.deprecated ?? false,
    };
    return [field, ...propertiesOf(property, `${name}.`), ...propertiesOf(property.items ?? {}, `${name}[].`)];
  });
  const isAtTop = ({ name }: Field): boolean => !name.slice(prefix.length).includes('.');
  return prefix === '' && fields.every(isAtTop)
    ? [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)]
    : fields;
}

/** The type of a value, with a link to a named schema. */
export function typeOf(schema: Schema, linkOf: LinkOf): Html {
  const name = nameOf(schema);
  if (name !== undefined) return html`<a href="${linkOf(name)}">${name}</a>`;
  const alternatives = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (alternatives && !schema.properties)
    return html`${alternatives.map((one, index) => html`${index > 0 && ' or '}${typeOf(one, linkOf)}`)}`;
  if (schema.items) return html`array of ${typeOf(schema.items, linkOf)}`;
  const type = [schema.type ?? (schema.properties ? 'object' : 'any')].flat().join(' or ');
  return html`${type}${schema.format && ` (${schema.format})`}`;
}

function limitsOf(schema: Schema): Html[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema;
  const values = schema.const === undefined ? (schema.enum ?? schema.items?.enum) : [schema.const];
  return [
    ...(values
      ? [
          html`${values.length === 1 ? 'Always' : 'One of'}
          ${values.map((value, index) => html`${index > 0 && ', '}<code>${textOf(value)}</code>`)}.`,
        ]
      : []),
    ...range(minLength, maxLength, 'characters'),
    ...range(bounded(minimum), bounded(maximum), ''),
    ...range(minItems, maxItems, 'entries'),
    ...(schema.pattern === undefined ? [] : [html`Pattern: <code>${schema.pattern}</code>.`]),
    ...(schema.default === undefined ? [] : [html`Default: <code>${textOf(schema.default)}</code>.`]),
  ];
}

/** Zod writes the limits of safe integers into the schema of every integer. */
function bounded(limit: number | undefined): number | undefined {
  return limit === Number.MIN_SAFE_INTEGER || limit === Number.MAX_SAFE_INTEGER ? undefined : limit;
}

function range(least: number | undefined, most: number | undefined, unit: string): Html[] {
  if (least === undefined && most === undefined) return [];
  const limits =
    least === undefined ? `At most ${most}` : most === undefined ? `At least ${least}` : `${least} to ${most}`;
  return [html`${limits}${unit && ` ${unit}`}.`];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The names of the schemas that a schema refers to itself, not through others. */
export function namesIn(schema: Schema | undefined): string[] {
  if (!schema) return [];
  const name = nameOf(schema);
  if (name !== undefined) return [name];
  const parts = [schema.oneOf, schema.anyOf, schema.allOf, schema.items && [schema.items]];
  return [...parts.flatMap((part) => part ?? []), ...Object.values(schema.properties ?? {})].flatMap(namesIn);
}
