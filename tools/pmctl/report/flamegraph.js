// SPDX-License-Identifier: GPL-2.0-only
// The script inside a flame graph. Boxes are laid out by their shares (data-x, data-w, of a
// million), so that a window of any width is filled and a zoom is only another range of shares.
(function () {
	"use strict";
	var svg = document.documentElement;
	var HTML = "http://www.w3.org/1999/xhtml", SVG = "http://www.w3.org/2000/svg";
	var margin = +svg.dataset.margin, letter = +svg.dataset.letter;
	var status = document.getElementById("status");
	var row = +svg.dataset.row, head = +svg.dataset.head, foot = +svg.dataset.foot;
	var height = +svg.getAttribute("height"), hint = status.textContent;
	var boxes = Array.prototype.map.call(document.querySelectorAll("#boxes > g"), function (g) {
		return {
			g: g, rect: g.querySelector("rect"), text: g.querySelector("text"),
			x: +g.dataset.x, w: +g.dataset.w, d: +g.dataset.d, n: g.dataset.n,
			tip: g.querySelector("title").textContent
		};
	});
	var root = boxes[0], zoomed = root, current = root, input, reset, found;

	if (!root)
		return;

	function inside(box, outer) {
		return box.x >= outer.x - 0.01 && box.x + box.w <= outer.x + outer.w + 0.01;
	}

	// ".." between each outermost pair; "operator<" and "->" are no brackets.
	function withoutInner(name, open, close) {
		var depth = 0, out = "", inner = "";
		Array.from(name).forEach(function (c, at, all) {
			var before = at ? all[at - 1] : "";
			if (c === close && depth && before !== "-" && !--depth) {
				out += inner.slice(1).length > 1 ? ".." : inner.slice(1) && ".";
				inner = "";
			}
			if (!depth)
				out += c;
			if (c === open && !/operator$/.test(all.slice(0, at).join("")))
				depth++;
			if (depth)
				inner += c;
		});
		return depth ? name : out;
	}

	// From a name of C++ template arguments are left out first, then parameters, then the middle;
	// from another name the end.
	function shortened(name, room) {
		var letters = Array.from(name), start = Math.floor((room - 2) / 3);
		if (letters.length <= room)
			return name;
		if (name.indexOf("::") < 0)
			return letters.slice(0, room - 2).join("") + "..";
		name = withoutInner(name, "<", ">");
		if (Array.from(name).length > room)
			name = withoutInner(name, "(", ")");
		letters = Array.from(name);
		return letters.length <= room ? name : letters.slice(0, start).join("") + ".." +
			letters.slice(letters.length - (room - 2 - start)).join("");
	}

	function label(box, width) {
		var room = Math.floor((width - 6) / letter);
		return room < 3 ? "" : shortened(box.n, room);
	}

	function layout() {
		// The window's width without a scroll bar, which a high picture has.
		var width = Math.max(svg.clientWidth || window.innerWidth || 1200, 400);
		var inner = width - 2 * margin, depth = 0;
		boxes.forEach(function (box) {
			var below = box.d < zoomed.d && inside(zoomed, box);
			var show = below || (box.d >= zoomed.d && inside(box, zoomed));
			var x = below ? 0 : (box.x - zoomed.x) / zoomed.w * inner;
			var w = below ? inner : box.w / zoomed.w * inner;
			box.shown = show && w >= 0.1;
			box.narrow = w < 1;
			if (box.shown && !box.narrow)
				depth = Math.max(depth, box.d);
			box.g.style.display = box.shown ? "" : "none";
			if (!box.shown)
				return;
			box.g.classList.toggle("faded", below);
			box.rect.setAttribute("x", margin + x);
			box.rect.setAttribute("width", Math.max(w - 0.5, 0.3));
			box.text.setAttribute("x", margin + x + 3);
			box.text.textContent = label(box, w);
		});
		// Narrow boxes do not make the picture higher: what is above it is hidden.
		height = head + (depth + 1) * row + foot;
		boxes.forEach(function (box) {
			var y = height - foot - (box.d + 1) * row;
			if (box.shown && box.d > depth) {
				box.shown = false;
				box.g.style.display = "none";
			}
			box.rect.setAttribute("y", y);
			box.text.setAttribute("y", y + 13);
		});
		status.setAttribute("y", height - 12);
		svg.setAttribute("width", width);
		svg.setAttribute("height", height);
		svg.setAttribute("viewBox", "0 0 " + width + " " + height);
		input.parentNode.setAttribute("x", width - margin - 300);
		reset.setAttribute("x", width - margin - 310);
		reset.style.display = zoomed === root ? "none" : "";
	}

	function say(box) {
		status.textContent = box ? box.tip : found || hint;
	}

	// The browser also moves the focus to the element on which the button was pressed.
	function take(box) {
		current.g.setAttribute("tabindex", "-1");
		current = box;
		box.g.setAttribute("tabindex", "0");
		say(box);
	}

	function focus(box) {
		take(box);
		box.g.focus();
	}

	function zoom(box) {
		zoomed = box;
		layout();
		focus(box);
	}

	// null for an empty or invalid pattern.
	function pattern(text) {
		try {
			return text === "" ? null : new RegExp(text, "i");
		} catch (bad) {
			return null;
		}
	}

	function search(text) {
		var test = pattern(text), sum = 0, end = -1, count = 0;
		boxes.forEach(function (box) {
			var hit = test !== null && box !== root && test.test(box.n);
			box.g.classList.toggle("found", hit);
			// Boxes are in depth-first order: a box inside another one is counted once.
			if (!hit)
				return;
			count++;
			if (box.x >= end - 0.01) {
				sum += box.w;
				end = box.x + box.w;
			}
		});
		if (test)
			found = "\u201c" + text + "\u201d: " + (sum / 1e4).toFixed(2) +
				"% in " + count + " boxes";
		else
			found = text === "" ? "" : "not a pattern: " + text;
		say(null);
	}

	// The nearest visible box of a depth, beside the current one or above it.
	function step(key) {
		var middle = current.x + current.w / 2, best = null;
		boxes.forEach(function (box) {
			var good = false;
			if (!box.shown || box === current)
				return;
			if (key === "ArrowUp")
				good = box.d === current.d + 1 && inside(box, current) && (!best || box.w > best.w);
			else if (key === "ArrowDown")
				good = box.d === current.d - 1 && inside(current, box);
			else if (box.d === current.d && (key === "ArrowRight") === (box.x > current.x))
				good = !best || Math.abs(box.x + box.w / 2 - middle) <
					Math.abs(best.x + best.w / 2 - middle);
			if (good)
				best = box;
		});
		if (best)
			focus(best);
	}

	function key(event) {
		var held = event.ctrlKey || event.metaKey;
		if (event.target === input) {
			if (event.key === "Escape") {
				input.value = "";
				search("");
				focus(current);
			} else if (event.key === "Enter") {
				focus(current);
				say(null);
			}
			return;
		}
		if (event.key === "/" || (held && event.key === "f"))
			input.focus();
		else if (held || event.altKey)
			return;
		else if (event.key === "Escape")
			zoom(root);
		else if (event.key === "Enter" || event.key === " ")
			zoom(current);
		else if (/^Arrow/.test(event.key))
			step(event.key);
		else
			return;
		event.preventDefault();
	}

	function controls() {
		var frame = document.createElementNS(SVG, "foreignObject");
		frame.id = "search";
		frame.setAttribute("y", 8);
		frame.setAttribute("width", 300);
		frame.setAttribute("height", 30);
		input = document.createElementNS(HTML, "input");
		input.type = "search";
		input.placeholder = "search: a name or a pattern ( / )";
		input.setAttribute("aria-label", "Search for a function");
		input.addEventListener("input", function () { search(input.value); });
		frame.appendChild(input);
		reset = document.createElementNS(SVG, "text");
		reset.id = "reset";
		reset.setAttribute("y", 26);
		reset.setAttribute("text-anchor", "end");
		reset.setAttribute("role", "button");
		reset.textContent = "show all (Esc)";
		reset.addEventListener("click", function () { zoom(root); });
		svg.insertBefore(frame, status);
		svg.insertBefore(reset, status);
	}

	controls();
	boxes.forEach(function (box) {
		box.g.setAttribute("tabindex", box === root ? "0" : "-1");
		box.g.setAttribute("role", "button");
		box.g.setAttribute("aria-label", box.tip);
		box.g.addEventListener("click", function () { zoom(box); });
		box.g.addEventListener("focus", function () { take(box); });
		box.g.addEventListener("mouseover", function () { say(box); });
		box.g.addEventListener("mouseout", function () { say(null); });
	});
	hint += "  Click or Enter zooms, Esc shows all, arrows walk, / searches.";
	document.addEventListener("keydown", key);
	window.addEventListener("resize", layout);
	layout();
	say(null);
	// The lowest box is at the end of a high picture.
	if (height > window.innerHeight)
		window.scrollTo(0, height - window.innerHeight);
})();
