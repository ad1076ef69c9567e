// SPDX-License-Identifier: GPL-2.0-only
// mujs cases.js DIR GRAPH.svg EMPTY.svg: tests the script in a flame graph. GRAPH.svg shows the log that
// test_flamegraph.c writes, EMPTY.svg has no samples. Prints one line per behaviour.
["xml.js", "dom.js", "page.js"].forEach(function (file) { load(scriptArgs[0] + "/" + file); });

var ODD = "less<a, b>::go \"x\" & y", WEIRD = "we\"ird,<x>";
var graph = readXml(read(scriptArgs[1])), nothing = readXml(read(scriptArgs[2]));
var failures = 0;

function check(good, name) {
	print((good ? "ok - " : "not ok - ") + name);
	if (!good)
		failures++;
}

function checkText(got, wanted, name) {
	check(got === wanted, name);
	if (got !== wanted)
		print("# wanted: " + wanted + "\n# got:    " + got);
}

function open() {
	return new Page(graph).run();
}

// --- How boxes are drawn

var MARGIN = 10, GAP = 0.5, THIN = 0.3, LETTER = 7.23;

function number(g, name) {
	return +g.querySelector("rect").getAttribute(name);
}

function label(g) {
	return g.querySelector("text").textContent;
}

function tip(g) {
	return g.querySelector("title").textContent;
}

function near(a, b) {
	return Math.abs(a - b) < 0.01;
}

// Whether a box begins at @left and is @width pixels wide, including the gap to the next box.
function drawn(g, left, width) {
	return g.shown() && near(number(g, "x"), MARGIN + left) &&
		near(number(g, "width"), Math.max(width - GAP, THIN)) &&
		near(+g.querySelector("text").getAttribute("x"), MARGIN + left + 3);
}

// Whether each box that is shown has the place and width that it has when @zoomed is as wide as @page.
function asShared(page, zoomed, boxes) {
	var room = page.window.innerWidth - 2 * MARGIN;

	return boxes.every(function (g) {
		var scale = room / zoomed.dataset.w;

		return !g.shown() ||
			drawn(g, (g.dataset.x - zoomed.dataset.x) * scale, g.dataset.w * scale);
	});
}

function faded(g) {
	return g.classList.contains("faded");
}

function found(g) {
	return g.classList.contains("found");
}

function hidden(g) {
	return !g.shown();
}

function not(is) {
	return function (g) { return !is(g); };
}

function fills(page, g) {
	return drawn(g, 0, page.window.innerWidth - 2 * MARGIN);
}

function whole(page) {
	var boxes = page.boxes();

	return asShared(page, boxes[0], boxes) && !boxes.some(faded) && !boxes.some(hidden) &&
		fills(page, boxes[0]);
}

// --- Cases

function first() {
	var file = new Page(graph), page = open(), boxes = page.boxes();

	check(boxes.length === 11 && asShared(page, boxes[0], boxes),
	      "each box is as wide as its share, and where it belongs");
	check(fills(page, boxes[0]), "the lowest fills the width");
	check(!boxes.some(faded) && !boxes.some(hidden) && !boxes.some(found),
	      "none is faded, hidden or marked");
	check(file.boxes().every(function (g, i) {
		return label(g) === label(boxes[i]) &&
			near(number(g, "x"), number(boxes[i], "x")) &&
			near(number(g, "width"), number(boxes[i], "width"));
	}), "as they were without the script");
	check(hidden(page.id("reset")), "there is nothing to go back to");
	checkText(page.status(), file.status() +
		  "  Click or Enter zooms, Esc shows all, arrows walk, / searches.",
		  "the last line shows what can be done");
}

function zooming() {
	var page = open(), zoomed = page.box(ODD), boxes = page.boxes();
	var sh = page.box("sh"), leaf = page.box("leaf");
	var below = [page.box("all"), sh, page.box("main_loop")];
	var above = boxes[boxes.indexOf(zoomed) + 1];

	page.click(zoomed);
	check(fills(page, zoomed) && !faded(zoomed), "a box that is clicked fills the width");
	check(fills(page, above) && !faded(above), "what it called grows with it");
	check(below.every(faded) && below.every(fills.bind(null, page)),
	      "what called it is faded, and as wide");
	check(boxes.filter(not(hidden)).length === 5, "all else is hidden");
	check(page.id("reset").shown(), "there is a way back");
	checkText(page.status(), tip(zoomed), "the last line describes it");
	check(page.focused() === zoomed, "it has the focus");
	page.click(sh);
	check(asShared(page, sh, [sh, leaf, zoomed]) && leaf.shown() && !faded(sh) &&
	      faded(below[0]) && hidden(page.box(WEIRD)), "a faded one that is clicked, too");
}

function back() {
	var page = open();

	page.click(page.box(WEIRD));
	check(!whole(page) && !page.press("Escape") && whole(page), "Escape shows all");
	check(hidden(page.id("reset")), "and then there is no way back");
	page.click(page.box(ODD));
	page.click(page.id("reset"));
	check(whole(page) && hidden(page.id("reset")), "so does a click on \"show all\"");
	check(page.focused() === page.box("all"), "the lowest box has the focus");
}

// Presses @key: whether @g then has the focus, and the status line describes it.
function walks(page, key, g) {
	return !page.press(key) && page.focused() === g && page.status() === tip(g);
}

function walking() {
	var page = open(), sh = page.box("sh"), odd = page.box(ODD), other = page.box("other");
	var last = page.boxes()[10];

	check(walks(page, "ArrowUp", sh) && walks(page, "ArrowUp", page.box("main_loop")) &&
	      walks(page, "ArrowUp", odd), "the arrow up goes to the widest of what it called");
	check(walks(page, "ArrowLeft", page.box("leaf", 3)) && walks(page, "ArrowRight", odd) &&
	      walks(page, "ArrowRight", last), "left and right to what is beside it");
	check(walks(page, "ArrowRight", last), "and stays where there is nothing");
	check(walks(page, "ArrowDown", page.boxes()[9]) && walks(page, "ArrowLeft", other) &&
	      walks(page, "ArrowDown", sh), "the arrow down goes to what called it");
	check(!page.press("Enter") && fills(page, sh) && hidden(page.box(WEIRD)),
	      "Enter zooms to it");
	check(walks(page, "ArrowRight", sh), "what is hidden is not walked to");
	page.press("ArrowUp");
	check(!page.press(" ") && fills(page, page.box("main_loop")), "the space bar zooms, too");
	check(page.press("x") && page.press("Tab"), "other keys are the browser's");
	check(["altKey", "ctrlKey", "metaKey"].every(function (held) {
		var more = {};

		more[held] = true;
		return ["ArrowLeft", "ArrowDown", "Enter", "Escape"].every(function (key) {
			return page.press(key, more);
		});
	}) && page.focused() === page.box("main_loop") && fills(page, page.box("main_loop")),
	      "so are those with a key held: Alt and the arrow left leaves the page");
}

// The boxes at which Tab stops: there must be exactly one.
function stops(page) {
	return page.boxes().filter(function (g) { return g.getAttribute("tabindex") === "0"; });
}

function stopping() {
	var page = open();

	function only(g) {
		return stops(page).length === 1 && stops(page)[0] === g;
	}

	check(only(page.box("all")), "Tab stops at the lowest box alone");
	page.press("ArrowUp");
	check(only(page.box("sh")), "or at that to which was walked");
	page.click(page.box(ODD));
	check(only(page.box(ODD)), "or at that which was clicked");
	page.box("leaf").focus();
	page.press("Escape");
	check(only(page.box("all")), "and at the lowest again when all is shown");
}

function pointing() {
	var page = open(), sh = page.box("sh"), hint = page.status();

	page.fire("mouseover", sh);
	checkText(page.status(), tip(sh), "the last line describes the box under the mouse");
	page.fire("mouseout", sh);
	checkText(page.status(), hint, "and no more when it has left");
	sh.focus();
	checkText(page.status(), tip(sh), "the status line shows what has the focus");
	page.fire("mouseout", sh);
	check(!page.press("Enter") && fills(page, sh) && page.status() === tip(sh),
	      "and zoomed to by Enter, and the last line describes it again");
}

function searching() {
	var page = open(), hint = page.status();

	function marked() {
		return page.boxes().filter(found).map(function (g) {
			return g.dataset.n + g.dataset.d;
		}).join(" ");
	}

	page.type("^LEA");
	checkText(marked(), "leaf3 leaf4 leaf4",
		  "a pattern marks what it matches, in whatever case");
	checkText(page.status(), "\u201c^LEA\u201d: 69.98% in 3 boxes",
		  "and counts one inside another once");
	page.fire("mouseover", page.box("sh"));
	page.fire("mouseout", page.box("sh"));
	check(/^\u201c\^LEA\u201d/.test(page.status()),
	      "and shows it again when the mouse has left");
	page.type("<a, b>::go \"x\" & y");
	checkText(page.status(), "\u201c<a, b>::go \"x\" & y\u201d: 95.00% in 2 boxes",
		  "letters that XML has a use for are found");
	page.type("l");
	check(!found(page.box("all")) && found(page.box("leaf")), "\"all\" is no function");
	page.type("le(");
	checkText(page.status(), "not a pattern: le(", "what is not a pattern is called that");
	page.fire("mouseout", page.box("sh"));
	check(page.status() === "not a pattern: le(" && !marked(),
	      "also when the mouse has left, and nothing is marked for what was before it");
	page.type("");
	check(!marked() && page.status() === hint, "none marks nothing");
}

function searchKeys() {
	var page = open(), sh = page.box("sh"), hint = page.status();

	page.press("ArrowUp");
	check(!page.press("/") && page.focused() === page.input(), "/ goes to the search");
	check(page.press("/") && page.press("ArrowUp") && page.press(" ") && whole(page),
	      "where keys are letters");
	page.type("leaf");
	page.press("Enter");
	check(page.focused() === sh && /leaf/.test(page.status()) && found(page.box("leaf")),
	      "Enter goes back to the box, and keeps what was found");
	check(!page.press("f", { ctrlKey: true }) && page.focused() === page.input(),
	      "control and f go there, too");
	page.press("Escape");
	check(page.input().value === "" && !page.boxes().some(found) && page.focused() === sh,
	      "Escape clears the search");
	page.fire("mouseout", sh);
	checkText(page.status(), hint, "and what it had found");
}

function resizing() {
	var page = open(), svg = page.document.documentElement, leaf = page.box("leaf");
	var search = page.input().parentNode;

	page.resize(800);
	check(svg.getAttribute("width") === "800" && whole(page) &&
	      svg.getAttribute("viewBox").split(" ")[2] === "800", "another width is filled");
	check(+search.getAttribute("x") + +search.getAttribute("width") === 800 - MARGIN &&
	      +page.id("reset").getAttribute("x") < +search.getAttribute("x"),
	      "the search stays on the right");
	page.click(leaf);
	page.resize(1000);
	check(fills(page, leaf), "the zoomed box remains zoomed");
	page.press("Escape");
	page.resize(100);
	check(svg.getAttribute("width") === "400", "a picture does not get narrower than 400");
	check(hidden(page.box("other")), "what is narrower than can be seen is hidden");
}

// Whether each label has as many letters as fit into its box, in a window that is @width pixels wide.
function cutTo(width) {
	var page = open();

	page.resize(width);
	return page.boxes().every(function (g) {
		var name = g.dataset.n, room = number(g, "width") + GAP - 6, shown = label(g);
		var length = Math.floor(room / LETTER + 0.001);

		if (hidden(g))
			return true;
		if (length < 3)
			return shown === "";
		return shown.length <= length && (name.length <= length ? shown === name :
			name.indexOf("::") >= 0 ? shown.indexOf("..") >= 0 :
			shown === name.slice(0, length - 2) + "..");
	});
}

function labels() {
	var page = open(), widths = [400, 450, 500, 600, 700, 800, 1200, 5000];

	check(widths.every(cutTo), "labels are cut to the room there is");
	checkText(label(page.box("leaf")), "leaf", "what has room is whole");
	checkText(label(page.box("other")), "", "where there is none there is no label");
	page.resize(400);
	checkText(label(page.boxes()[10]), "less.. \"x\" & y", "of a name of C++ the middle is left out");
	page.resize(1200);
	page.click(page.box("other"));
	checkText(label(page.box("other")), "other", "a zoom makes room");
}

function names() {
	var page = open(), odd = page.box(ODD), weird = page.box(WEIRD);

	checkText(label(odd), ODD, "a name of C++ is shown as it is");
	checkText(odd.getAttribute("aria-label"), tip(odd), "and read aloud");
	page.click(odd);
	checkText(page.status(), ODD + " ([kernel]): 65.00%, 6,500 events, 1 samples", "and its status line shows it");
	checkText(label(weird), WEIRD, "as is one of a program");
}

function empty() {
	var page = new Page(nothing), said = page.status();

	page.run();
	page.press("Escape");
	page.press("ArrowUp");
	page.press("/");
	page.resize(800);
	check(page.boxes().length === 0 && page.status() === said && !page.input(),
	      "a graph of nothing has nothing to offer");
}

// A page that is higher than its window has a scroll bar, and is scrolled to its end at first.
function scrolling() {
	var page = new Page(graph), svg = page.document.documentElement, to = null;

	svg.clientWidth = 785;
	page.window.innerWidth = 800;
	page.window.innerHeight = 100;
	page.window.scrollTo = function (x, y) { to = y; };
	page.run();
	check(svg.getAttribute("width") === "785", "the picture is not wider than what the scroll bar leaves");
	check(to === +svg.getAttribute("height") - 100, "a high picture opens at the lowest box");
	page = new Page(graph);
	to = null;
	page.window.innerHeight = 2000;
	page.window.scrollTo = function (x, y) { to = y; };
	page.run();
	check(to === null, "one that the window holds does not move");
}

// The picture is as high as its boxes, without those that are too narrow to be seen.
function heights() {
	var page = open(), svg = page.document.documentElement, all = +svg.getAttribute("height");
	var status = page.id("status");

	page.click(page.box("other"));
	check(+svg.getAttribute("height") === all - 2 * 18 && +status.getAttribute("y") === all - 36 - 12 &&
	      number(page.box("all"), "y") === all - 36 - 34 - 18, "a zoom to a low box lowers the picture");
	page.press("Escape");
	check(+svg.getAttribute("height") === all && number(page.box("all"), "y") === all - 34 - 18,
	      "and back");
}

first();
scrolling();
heights();
zooming();
back();
walking();
stopping();
pointing();
searching();
searchKeys();
resizing();
labels();
names();
empty();
quit(failures ? 1 : 0);
