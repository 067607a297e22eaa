# SPDX-License-Identifier: MIT
"""What must not be on a page 390 pixels wide: anything that reaches beyond it, or that is cut and looks whole."""

from __future__ import annotations

from typing import Any

WIDTH = 390

_BEYOND = """() => {
    const width = document.documentElement.clientWidth, found = [];
    const whole = document.documentElement.scrollWidth;
    if (whole > width) found.push(`the page is ${whole} wide`);
    const hides = (node) => ['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(node).overflowX);
    // The list of sections is swept with a finger; of a segment's name the colour and the legend tell the rest.
    const allowed = (node) => node.closest('.nav-bar, .segment-name, caption, svg, pre');
    for (const node of document.querySelectorAll('body *')) {
        if (!node.checkVisibility() || allowed(node) || !(node.textContent || '').trim()) continue;
        const which = `<${node.tagName} ${node.className}> ${node.textContent.slice(0, 60)}`;
        const say = (what) => found.push(`${what}: ${which}`);
        let above = node.parentElement;
        while (above && !hides(above)) above = above.parentElement;
        if (node.getBoundingClientRect().right > width + 1 && !above) say('beyond the page');
        if (hides(node) && node.scrollWidth > node.clientWidth + 1) say('cut or scrolls sideways');
    }
    return found;
}"""

_FAINT = """() => {
    const parse = (text) => { const n = text.match(/[0-9.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
    const light = ([r, g, b]) => {
        const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        const [x, y, z] = [r, g, b].map((v) => linear(v / 255));
        return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3]));
    const found = new Set();
    for (const node of document.querySelectorAll('body *')) {
        const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
        if (!own || !node.checkVisibility() || node.closest('svg, .skip')) continue;
        let back = [255, 255, 255], opacity = 1;
        const way = [];
        for (let at = node; at; at = at.parentElement) way.unshift(at);
        for (const at of way) {
            const style = getComputedStyle(at);
            back = over(parse(style.backgroundColor), back);
            opacity *= Number(style.opacity);
        }
        const ink = parse(getComputedStyle(node).color);
        const front = over([...ink.slice(0, 3), ink[3] * opacity], back);
        const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        const which = `<${node.tagName} ${node.className}> ${node.textContent.slice(0, 40)}`;
        if (ratio < 4.5) found.add(`${ratio.toFixed(2)}: ${which}`);
    }
    return [...found];
}"""


def beyond(page: Any) -> list[str]:
    """Return what a reader with a phone would miss or had to scroll sideways for."""
    return list(page.evaluate(_BEYOND))


def too_faint(page: Any) -> list[str]:
    """Return texts with less contrast than WCAG asks of a page (4.5 to 1)."""
    return list(page.evaluate(_FAINT))
