/** Prints zod schemas as TypeScript declarations, with their descriptions as documentation. */

/** @param {Record<string, import('zod').ZodType>} named the exported types */
export function declarationsOf(named) {
  return Object.entries(named)
    .map(([name, schema]) => {
      const { shape } = schema._zod.def;
      const comment = documentationOf(schema);
      return shape
        ? `${comment}export interface ${name} {\n${fieldsOf(shape, named)}\n}\n`
        : `${comment}export type ${name} = ${typeOf(schema, named, name)};\n`;
    })
    .join('\n');
}

function fieldsOf(shape, named) {
  return Object.entries(shape)
    .map(([key, schema]) => {
      const isOptional = schema._zod.optout === 'optional';
      const name = nameOf(schema, named);
      const isDocumented = name !== undefined && named[name].description === schema.description;
      return `${isDocumented ? '' : documentationOf(schema)}${JSON.stringify(key)}${isOptional ? '?' : ''}: ${typeOf(schema, named)};`;
    })
    .join('\n');
}

/** The type of a parsed value. @param except the name whose own declaration is being printed */
export function typeOf(schema, named, except) {
  const name = nameOf(schema, named);
  if (name !== undefined && name !== except) return name;
  const def = schema._zod.def;
  switch (def.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'unknown':
    case 'null':
      return def.type;
    case 'literal':
      return def.values.map((value) => JSON.stringify(value)).join(' | ');
    case 'enum':
      return Object.values(def.entries)
        .map((value) => JSON.stringify(value))
        .join(' | ');
    case 'optional':
      return `${typeOf(def.innerType, named)} | undefined`;
    case 'nullable':
      return `${typeOf(def.innerType, named)} | null`;
    case 'default':
    case 'readonly':
      return typeOf(def.innerType, named);
    case 'pipe':
      return typeOf(def.out, named);
    case 'array':
      return `Array<${typeOf(def.element, named)}>`;
    case 'union':
      return def.options.map((option) => typeOf(option, named)).join(' | ');
    case 'record':
      return `Record<${typeOf(def.keyType, named)}, ${typeOf(def.valueType, named)}>`;
    case 'object':
      return `{\n${fieldsOf(def.shape, named)}\n}`;
    default:
      throw new Error(`a schema of the kind ${def.type} is not supported`);
  }
}

/** The name of a schema, also of a copy that differs in its description only. */
function nameOf(schema, named) {
  for (let copy = schema; copy !== undefined; copy = copy._zod.parent) {
    const found = Object.entries(named).find(([, candidate]) => candidate === copy);
    if (found && JSON.stringify(copy._zod.def) === JSON.stringify(schema._zod.def)) return found[0];
  }
  return undefined;
}

function documentationOf(schema) {
  const text = schema.description;
  return text === undefined ? '' : `/** ${text.replaceAll('*/', '*\\/')} */\n`;
}
