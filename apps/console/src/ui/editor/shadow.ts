/**
 * The shadow tree of an element, for an editor. There the library adds its styles as constructed style sheets, which the
 * content security policy of the console allows. In the page itself it would add a `style` element, which the policy
 * refuses.
 */
export function shadowOf(element: HTMLElement): ShadowRoot {
  return element.shadowRoot ?? element.attachShadow({ mode: 'open' });
}
