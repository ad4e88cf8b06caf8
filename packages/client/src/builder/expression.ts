/**
 * Expressions are texts in CEL. The types of this file read a text and find the variables and nodes that it names, so
 * that the compiler refuses an expression with a name that the workflow does not have:
 *
 *     "variables.topik + '!'"     Type … is not assignable to type 'The variable "topik" is not declared.'
 *
 * A text that is not a literal (its type is `string`) is not checked here. The host checks it at registration.
 */

type Lower =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm')
  | ('n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z');
type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';
type WordCharacter = Lower | Uppercase<Lower> | Digit | '_';

/** The word at the beginning of a text. */
type Word<S extends string, Taken extends string = ''> = S extends `${infer C}${infer Rest}`
  ? C extends WordCharacter
    ? Word<Rest, `${Taken}${C}`>
    : Taken
  : Taken;

/** The text after the quote that ends a string of CEL. A quote after a backslash does not end it. */
type AfterQuote<S extends string, Quote extends string> = S extends `${infer Inside}${Quote}${infer Rest}`
  ? Inside extends `${string}\\`
    ? AfterQuote<Rest, Quote>
    : Rest
  : '';

/** The expression with a space in place of each string of CEL: `'variables.x'` in quotes names no variable. */
type WithoutStrings<S extends string, Done extends string = ''> = S extends `${infer Before}'${infer Rest}`
  ? Before extends `${infer Earlier}"${infer Inside}`
    ? WithoutStrings<AfterQuote<`${Inside}'${Rest}`, '"'>, `${Done}${Earlier} `>
    : WithoutStrings<AfterQuote<Rest, "'">, `${Done}${Before} `>
  : S extends `${infer Before}"${infer Rest}`
    ? WithoutStrings<AfterQuote<Rest, '"'>, `${Done}${Before} `>
    : `${Done}${S}`;

/** The names in `variables.name` and `variables.?name`. `inputs.variables.name` is another thing. */
type Members<
  S extends string,
  Of extends string,
  Found extends string = never,
> = S extends `${infer Before}${Of}.${infer Rest}`
  ? Before extends `${string}${WordCharacter | '.'}`
    ? Members<Rest, Of, Found>
    : Members<Rest, Of, Found | Word<Rest extends `?${infer Optional}` ? Optional : Rest>>
  : Found;

/** The names in `nodes['a-name']`. */
type Indexed<
  S extends string,
  Of extends string,
  Quote extends string,
  Found extends string = never,
> = S extends `${string}${Of}[${Quote}${infer Name}${Quote}]${infer Rest}`
  ? Indexed<Rest, Of, Quote, Found | Name>
  : Found;

type Named<S extends string, Of extends string> =
  | Members<WithoutStrings<S>, Of>
  | Indexed<S, Of, "'">
  | Indexed<S, Of, '"'>;

export type NotDeclared<Name extends string> = `The variable "${Name}" is not declared.`;

type NoSuchNode<Name extends string> = `There is no node "${Name}" before this one.`;

/** The expression itself if all its names are known, else a message as a type. */
export type Checked<S, Variable extends string, Node extends string> = S extends string
  ? string extends S
    ? S
    : [Exclude<Named<S, 'variables'>, Variable>] extends [never]
      ? [Exclude<Named<S, 'nodes'>, Node>] extends [never]
        ? S
        : NoSuchNode<Exclude<Named<S, 'nodes'>, Node>>
      : NotDeclared<Exclude<Named<S, 'variables'>, Variable>>
  : string;

/** A message of the compiler: no text has such a member. */
export interface Problem<Message extends string> {
  readonly problem: Message;
}

/** Requires that all names of the expression are known. */
export type Sound<S extends string, Variable extends string, Node extends string> =
  S extends Checked<S, Variable, Node> ? unknown : Problem<Checked<S, Variable, Node>>;
