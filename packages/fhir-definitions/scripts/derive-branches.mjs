// Converts the FHIRPath expression of a search parameter to branches: property paths, each with the type of its values.
//
//   effective(DateTime):dateTime          a choice with its type in parentheses
//   component*.code:CodeableConcept        '*' for an element that repeats
//   telecom*[system=email]:ContactPoint    a filter by the value of a child
//   subject:Reference~Patient              only references to that type
//   entry*[0].resource:Resource            an index
//   status:code=http://…                   the code systems of a bound code
//   deceased:present                       true when the element exists and is not false
import { capital } from './element-tree.mjs';

const leafTypes = {
  token: [
    'boolean',
    'code',
    'string',
    'id',
    'uri',
    'oid',
    'uuid',
    'canonical',
    'url',
    'Coding',
    'CodeableConcept',
    'Identifier',
    'ContactPoint',
    'positiveInt',
    'present',
  ],
  reference: ['Reference', 'uri', 'canonical', 'url', 'Resource'],
  uri: ['uri', 'url', 'canonical', 'oid', 'uuid'],
  date: ['date', 'dateTime', 'instant', 'Period', 'Timing'],
  string: ['string', 'markdown', 'code', 'HumanName', 'Address'],
  number: ['integer', 'decimal', 'positiveInt', 'unsignedInt', 'Range', 'Duration', 'Quantity'],
  quantity: [
    'Quantity',
    'Age',
    'Duration',
    'Count',
    'Distance',
    'SimpleQuantity',
    'MoneyQuantity',
    'Money',
    'Range',
    'SampledData',
  ],
  special: ['BackboneElement'],
};

/** The operands of the top-level unions of an expression. */
export function unionMembers(expression) {
  const members = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i <= expression.length; i++) {
    const c = expression[i];
    if (c === '(' || c === '[') depth++;
    if (c === ')' || c === ']') depth--;
    if (i === expression.length || (c === '|' && depth === 0)) {
      members.push(expression.slice(start, i).trim());
      start = i + 1;
    }
  }
  return members.filter(Boolean);
}

/** Splits an operand into steps: names, casts, filters, indexes. */
function steps(member) {
  let text = member.trim();
  const presence = text.match(/^\(?([\w.]+)\.exists\(\)( and [\w.]+ != false)?\)?$/);
  if (presence) return [...steps(presence[1]), { present: true }];
  const whole = text.match(/^\(([^()]+)\)$/);
  if (whole) text = whole[1].trim();
  const cast = text.match(/^\(?([\w.]+) as (\w+)\)?(\..+)?$/);
  if (cast) return [...steps(cast[1]), { as: cast[2] }, ...(cast[3] ? steps(cast[3].slice(1)) : [])];
  const found = [];
  const pattern =
    /(?:^|\.)(?:(as|ofType|is)\((\w+)\)|where\((\w+) ?= ?'([^']+)'\)|where\(resolve\(\) is (\w+)\)|([%\w]+)(?:\[(\d+)\])?|extension\('([^']+)'\))/y;
  while (pattern.lastIndex < text.length) {
    const m = pattern.exec(text);
    if (!m) throw new Error(`cannot read the expression ${member}`);
    if (m[1] === 'is') found.push({ present: true });
    else if (m[1]) found.push({ as: m[2] });
    else if (m[3]) found.push({ where: m[3], equals: m[4] });
    else if (m[5]) found.push({ resolvesTo: m[5] });
    else if (m[6]) found.push({ name: m[6], index: m[7] });
  }
  return found;
}

const sameType = (a, b) => a.toLowerCase() === b.toLowerCase();

/** Follows the steps from `start` through the element tree. Returns one state for each type of a choice. */
function follow(tree, start, path, member) {
  let states = [{ at: start, text: '', targets: [], type: undefined }];
  for (const step of path) {
    if (step.name) {
      states = states.flatMap((state) => {
        const parent = { element: state.at.element, type: state.at.type };
        const child = tree.child(parent, step.name);
        if (!child)
          throw new Error(
            `${member}: no element ${step.name} in ${state.at.element.path} (${state.at.type ?? 'resource'})`,
          );
        const repeats = child.element.repeats ? '*' : '';
        const stem = child.stem ?? step.name;
        const index = step.index === undefined ? '' : `[${step.index}]`;
        const types = child.types.length > 0 ? child.types : [{ code: 'BackboneElement', targets: [] }];
        return types.map((type) => ({
          at: { element: child.element, type: child.element.sameAs ? undefined : type.code },
          text: `${state.text}${state.text ? '.' : ''}${child.choice ? `${stem}(${capital(type.code)})` : step.name}${repeats}${index}`,
          targets: type.targets,
          type: type.code,
          choice: child.choice ? { prefix: state.text, stem } : undefined,
        }));
      });
    } else if (step.as) {
      const narrowed = states.filter((state) => sameType(state.type, step.as) || subtypeOf(state.type, step.as));
      if (narrowed.length === 0 && !states.some((state) => state.type === step.as))
        throw new Error(`${member}: no type ${step.as}`);
      states = narrowed;
    } else if (step.where) {
      states = states.map((state) => ({ ...state, text: `${state.text}[${step.where}=${step.equals}]` }));
    } else if (step.resolvesTo) {
      states = states.map((state) => ({ ...state, resolvesTo: step.resolvesTo }));
    } else if (step.present) {
      const { choice } = states[0];
      states = [
        {
          text: `${choice.prefix}${choice.prefix ? '.' : ''}${choice.stem}(${states.map((s) => capital(s.type)).join('|')})`,
          type: 'present',
          targets: [],
        },
      ];
    }
  }
  return states;
}

const subtypeOf = (type, wanted) => wanted === 'Quantity' && ['Age', 'SimpleQuantity'].includes(type);

/**
 * The branches of an expression.
 * @param context the element that the expression starts from
 * @returns `{ branches, targets, dropped }`
 */
export function branches(tree, context, kind, members, systemsOf) {
  const result = { branches: [], targets: [], dropped: [] };
  for (const member of members) {
    for (const state of follow(tree, context, steps(member), member)) {
      for (const { text, type } of leaves(state, kind)) {
        if (!leafTypes[kind].includes(type)) {
          result.dropped.push(`${text}:${type}`);
          continue;
        }
        const systems = type === 'code' && kind === 'token' ? systemsOf(state.at.element) : [];
        const suffix =
          (state.resolvesTo ? `~${state.resolvesTo}` : '') + (systems.length > 0 ? `=${systems.join(',')}` : '');
        const branch = `${text}:${type}${suffix}`;
        if (!result.branches.includes(branch)) result.branches.push(branch);
        result.targets.push(...(state.resolvesTo ? [state.resolvesTo] : state.targets));
      }
    }
  }
  result.targets = [...new Set(result.targets)];
  return result;
}

/** The elements that an extension or text search reads. */
function leaves(state, kind) {
  if (state.type === 'Extension' && kind === 'token') {
    return [
      { text: `${state.text}.value(CodeableConcept)`, type: 'CodeableConcept' },
      { text: `${state.text}.value(Coding)`, type: 'Coding' },
      { text: `${state.text}.value(Code)`, type: 'code' },
    ];
  }
  return [{ text: state.text, type: state.type }];
}
